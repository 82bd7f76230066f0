"""Why a signature is not given, in sentences for the person who wanted to give it."""


class Refused(Exception):
    """A signature that is not given. `sentences` say why, to the person who wanted it."""

    def __init__(self, *sentences: str) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


class Incomplete(Refused):
    """Something the signature needs is missing; each sentence asks for one thing."""


class NotInTheRecord(Refused):
    """The finding names steps, actors, quotes or rules that the record does not bear out."""


class AlreadySigned(Refused):
    """This person has signed a claim on this case; a signed claim does not change."""


class NotDecidable(Refused):
    """The case does not wait for a verdict."""


class StaleClaims(Refused):
    """The claims or the verdict changed since the lead looked."""


class OwnClaim(Refused):
    """The policy asks for two people, and both would be the same."""
