"""Machine proposals: attributors read a frozen transcript and propose candidate steps.

Nothing here judges. A candidate stays provisional for ever, and this app never calls up into
`reviews`, which pulls what it wants to show.
"""
