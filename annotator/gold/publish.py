"""Publish a release: upload its folder as a dataset repository of the Hugging Face Hub."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.gold.dataset.check import faults
from annotator.gold.releases import Release, changes
from panelwise.domain import AnnotatorError, one_line

#: Variable with the Hub's token; `HF_TOKEN_FILE` names a file that contains it.
TOKEN = "HF_TOKEN"


@dataclass(frozen=True, slots=True)
class Upload:
    """Files of a release for a repository. files: name -> size in bytes, by name."""

    release: Release
    repository: str
    files: dict[str, int]
    warnings: list[str]


def prepare_upload(release: Release, repository: str) -> Upload:
    """Check a release before it is published; nothing is sent.

    repository: OWNER/NAME. Raises AnnotatorError for another form, and for a release that `--check` finds fault
    with.
    """
    if repository.count("/") != 1 or not all(repository.split("/")):
        raise AnnotatorError(f'--repo {repository}: is no repository of the Hub; give it as "OWNER/NAME"')
    wrong = list(changes(release)) or list(faults(release))
    if wrong:
        raise AnnotatorError(f"{wrong[0]}; see all with `annotator release {release.name} --check`")
    manifest = release.manifest()
    if "about" not in manifest:
        raise AnnotatorError(f"{release.path}: was made before releases were datasets; release again")
    warnings = [f"the release has no {key}" for key in ("licence", "authors") if not manifest["about"][key]]
    if manifest["names"] != "pseudonyms":
        warnings.append("the release has people's real names")
    paths = (path for path in release.path.rglob("*") if path.is_file())
    sizes = {path.relative_to(release.path).as_posix(): path.stat().st_size for path in paths}
    return Upload(release, repository, dict(sorted(sizes.items())), warnings)


def upload_to_hub(upload: Upload, token: str) -> str:
    """Upload a release in one commit, tagged with the name of its folder; return the repository's address.

    A new repository is private. Files of the repository that the release does not have stay. Raises AnnotatorError
    without the extra panelwise[release], and with the reason if the Hub refuses or gives no answer.
    """
    try:
        from huggingface_hub import CommitOperationAdd, HfApi
    except ImportError:
        raise AnnotatorError('huggingface_hub is not installed; run `pip install "panelwise[release]"`') from None

    release, hub = upload.release, HfApi(token=token)
    try:
        address = hub.create_repo(upload.repository, repo_type="dataset", private=True, exist_ok=True)
        made = hub.create_commit(
            upload.repository,
            [CommitOperationAdd(name, str(release.path / name)) for name in upload.files],
            commit_message=f"Release {release.path.name}",
            repo_type="dataset",
        )
        hub.create_tag(
            upload.repository, tag=release.path.name, revision=made.oid, repo_type="dataset", exist_ok=True
        )
    except Exception as error:  # Those of the HTTP library too: which one it is depends on huggingface_hub.
        raise AnnotatorError(
            f"{upload.repository}: the Hub did not accept the release ({one_line(error)[:200]}); "
            "check the token's permission to write there, then repeat the command"
        ) from error
    return str(address)
