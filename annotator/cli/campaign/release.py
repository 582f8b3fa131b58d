"""`annotator release`: freeze the gold as a release; list, check and publish releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.campaign.export_options import report_gold, sources
from annotator.cli.commandline import campaign_at, progress, refuse_typed, typed, warn
from annotator.cli.parameters import Option, OptionGroup, SignatureCommand, names_of
from annotator.cli.shared_options import HomeOption, IncludeGold
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.gold.manifest import Agreement


class Contents(OptionGroup):
    """Contents of a new release."""

    note: Annotated[str, Option("Note for the manifest.", default="")]
    names: Annotated[
        Literal["pseudonyms", "real"],
        Option("Names of people; a real name can't be removed later.", default="pseudonyms"),
    ]
    include: IncludeGold
    images: Annotated[bool, Option("Include images whose licence allows it.")]


@click.command(epilog='Example: annotator release pilot --note "the first hundred figures"', cls=SignatureCommand)
def command(
    name: str | None,
    contents: Contents,
    as_list: Annotated[bool, Option("List the releases.", "--list")],
    check: Annotated[bool, Option("Check release NAME, or all: hashes, schema, splits, licences, numbers.")],
    publish: Annotated[Literal["hub"] | None, Option("Publish release NAME on the Hugging Face Hub.")],
    repo: Annotated[str | None, Option("Dataset repository.", metavar="OWNER/NAME")],
    yes: Annotated[bool, Option("With --publish: upload; else only list.")],
    home: HomeOption,
) -> int:
    """Freeze the current gold as release NAME: numbered, with a manifest, never overwritten.

    Writes releases/NNN-NAME: gold, figures, annotations, predictions, tables by split, COCO, dataset card,
    datasheet, licence, citation, metadata and hashes. [release] in campaign.toml has the answers. Faults found by
    --check give exit status 1.

    --publish (panelwise[release]) uploads in one commit, to a private repository if new; the token is in HF_TOKEN,
    or the file that HF_TOKEN_FILE names.
    """

    chosen = typed("as_list", "check", "publish")
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} can't be combined; use one of them")
    if not publish:
        refuse_typed("needs --publish hub", "repo", "yes")
    if as_list and name:
        raise click.UsageError("--list takes no NAME")
    if chosen:
        refuse_typed(f"can't be combined with {chosen[0]}; leave one out", *names_of(Contents))
    where = campaign_at(home)
    if as_list:
        return _list(where)
    if check:
        return _check(where, name)
    if not name:
        raise click.UsageError("add a NAME for the release, or --list or --check")
    if publish:
        if not repo:
            raise click.UsageError("--publish hub needs --repo OWNER/NAME")
        return _publish(where, name, repo, send=yes)
    return _make(where, name, contents)


def _make(where: Home, name: str, contents: Contents) -> int:
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.dataset.kinds import held, number_of
    from annotator.gold.release import make_release

    with where.open_store() as store:
        made = make_release(
            where,
            store,
            name,
            note=contents.note,
            names=Names(contents.names),
            images=contents.images,
            include=sources(contents.include),
            watch=lambda found: progress(found, "releasing"),
        )
    counts = made.manifest["counts"]
    parts = ", ".join(f"{number} {source}" for source, number in counts["by_source"].items())
    click.echo(f"release {made.release.number}: {made.release.path}")
    numbers = {kind.released.count: number_of(made.manifest, kind.released.count) for kind in held(made.manifest)}
    content = ", ".join(counted(number, key.removesuffix("s")) for key, number in numbers.items())
    click.echo(f"{counted(counts['figures'], 'figure')} ({parts}), {content}")
    for entry in made.manifest["agreement"]["phases"]:
        click.echo(f"IAA of phase {entry['phase']}: {_iaa(entry['campaign'])}")
    click.echo(f"SHA-256 of the manifest: {made.manifest_sha256}")
    report_gold(made.tally)
    for line in made.warnings:
        warn(f"note: {line}")
    return 0


def _list(where: Home) -> int:
    from annotator.gold.releases import releases
    from panelwise.domain import AnnotatorError

    found = releases(where)
    if not found:
        warn("no releases yet; create one with `annotator release NAME`")
    status = 0
    for each in found:
        try:
            manifest = each.manifest()
            counts, created, names = manifest["counts"], manifest["created_at"], manifest["names"]
            click.echo(
                f"{each.number:03}  {each.name:<20}  {created}  {counts['figures']:>6} figures  "
                f"{counts['subfigures']:>7} subfigures  {names}"
            )
        except AnnotatorError as error:
            warn(str(error))
            status = 1
    return status


def _check(where: Home, name: str | None) -> int:
    from annotator.gold.dataset.check import faults
    from annotator.gold.releases import changes, release_called, releases

    found = [release_called(where, name)] if name else releases(where)
    if not found:
        warn("no releases yet; create one with `annotator release NAME`")
    status = 0
    for each in found:
        changed = list(changes(each))
        # A fault of a changed file says nothing more.
        wrong = [] if changed else list(faults(each))
        for line in (*changed, *wrong):
            warn(line)
        state = f"{len(changed)} changed" if changed else counted(len(wrong), "fault") if wrong else "unchanged"
        click.echo(f"{each.path.name}: {state}")
        status = 1 if changed or wrong else status
    return status


def _publish(where: Home, name: str, repo: str, *, send: bool) -> int:
    from annotator.gold.publish import TOKEN, prepare_upload, upload_to_hub
    from annotator.gold.releases import release_called
    from panelwise.domain import AnnotatorError
    from panelwise.settings import secret_setting

    token = secret_setting(TOKEN) if send else ""
    if send and not token:
        raise AnnotatorError(f"no token; set {TOKEN}, or {TOKEN}_FILE to a file that contains it")
    upload = prepare_upload(release_called(where, name), repo)
    for file, size in upload.files.items():
        click.echo(f"{size:>13,}  {file}")
    total = f"{counted(len(upload.files), 'file')}, {sum(upload.files.values()):,} bytes"
    for line in upload.warnings:
        warn(f"note: {line}")
    if not send:
        click.echo(f"would upload {upload.release.path.name} to {repo}: {total}; add --yes to upload")
        return 0
    address = upload_to_hub(upload, token)
    click.echo(f"uploaded {upload.release.path.name} to {address}: {total}")
    return 0


def _iaa(entry: Agreement) -> str:
    iaa = entry["iaa"]
    return f"{iaa:.3f}" if iaa is not None else f"none ({entry['reason']})"
