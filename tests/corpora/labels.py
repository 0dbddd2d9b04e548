"""What is known of the pages of a corpus."""


def labels(corpus, *names):
    return {page.id: tuple(getattr(page, name) for name in names) for page in corpus}
