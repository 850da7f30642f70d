"""Static files under names that change with their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

# `from "./part.js";` at the end of an import; Django's own pattern would also read comments of other scripts
_IMPORT = (r"""(?P<matched>from\s+["'](?P<url>\./[\w/.-]+)["'];)""", 'from "%(url)s";')


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Also the modules that our scripts import: an old one must not meet a new one."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("classes/*.js", (_IMPORT,)))
