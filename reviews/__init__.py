"""Human judgement: cases, leases, claims, verdicts and the signed postmortems made of them.

The only writer of claims, verdicts and case status is `reviews.adjudication`. Whatever one
person may see of another's work is decided in `reviews.visibility`.
"""
