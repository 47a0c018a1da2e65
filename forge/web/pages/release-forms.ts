import { Readable } from 'node:stream';

import { notFound, refuse } from '../../errors/api-error.ts';
import { atLeast } from '../../model/permission.ts';
import type { Release, ReleaseAsset } from '../../model/release.ts';
import { fullName } from '../../model/repository.ts';
import { readAssetName } from '../../releases/asset-input.ts';
import { assetsOfReleases } from '../../releases/asset-store.ts';
import { findRelease } from '../../releases/release-store.ts';
import { uploadAsset } from '../../releases/upload-asset.ts';
import { authorizeRepository, mayPush } from '../../repositories/repository-access.ts';
import { textArea, textField } from '#web/fields.ts';
import { asking, checkbox, hidden, problemView } from '#web/form.ts';
import { bytesText, html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';
import {
  type ActContext,
  answerAct,
  textIn,
  textOf,
  unknownAct,
  type UploadContext,
} from './discussion-acts.ts';
import { releaseEditorPath, releaseOfTag } from './releases.ts';
import { sessionCaller } from '../../auth/sessions/session.ts';

type ReleaseContext = RepositoryContext & SignedIn;

/** The form for a new release; `?tag=` names its tag. */
export async function showNewRelease(
  context: ReleaseContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireWriter(context);
  const { repository, query, session } = context;
  const form = createPageForm(pathIn(context, 'releases'), session.secret, refused);
  const name = fullName(repository);
  return formPage(
    `New release · ${name}`,
    html`${repositoryHead(context)}
      <h2>New release</h2>
      ${form.view(
        'create',
        html`${textField({
          label: 'Tag',
          name: 'tag_name',
          value: form.value('tag_name', query.get('tag') ?? ''),
          hint: 'One that is not there yet is created when the release is published.',
          required: true,
        })}
        ${textField({
          label: 'Branch or commit of a new tag',
          name: 'target_commitish',
          value: form.value('target_commitish', repository.defaultBranch),
        })}
        ${releaseFields(form, undefined)}
        ${checkbox(
          'generate',
          '1',
          form.checked('generate', '1', false),
          'Add notes: the pulls that were merged since the release before',
        )}
        ${publishButtons()}`,
      )}`,
    refused?.status,
  );
}

/** The forms of a release: its texts, its files and its end. */
export async function showReleaseEditor(
  context: ReleaseContext,
  present?: Release,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireWriter(context);
  const { repository, session, ports, path } = context;
  const release = present ?? (await releaseOfTag(context, path['*'] ?? ''));
  const assets = await ports.database.read((sql) => assetsOfReleases(sql, [release.id]));
  const form = createPageForm(pathIn(context, 'releases'), session.secret, refused);
  const name = fullName(repository);
  const id = hidden('id', String(release.id));
  return formPage(
    `Edit ${release.tagName} · ${name}`,
    html`${repositoryHead(context)}
      <h2>Edit the release ${release.name || release.tagName}</h2>
      ${problemView(refused?.act === 'delete-asset' ? refused.problem : undefined)}
      ${form.view(
        'update',
        html`${id}
        ${textField({
          label: 'Tag',
          name: 'tag_name',
          value: form.value('tag_name', release.tagName),
          required: true,
        })}
        ${textField({
          label: 'Branch or commit of a new tag',
          name: 'target_commitish',
          value: form.value('target_commitish', release.targetCommitish),
        })}
        ${releaseFields(form, release)}
        ${release.draft ? publishButtons() : html`<button class="primary" type="submit">Save</button>`}`,
      )}
      <h2>Files</h2>
      ${assets.length === 0 ? html`<p class="empty">No file yet. Upload some below.</p>` : assetRows(form, assets)}
      ${form.view(
        'upload',
        html`${id}
          <label class="field"
            ><span>Files, together up to 25 MiB</span>
            <input type="file" name="files" multiple required />
            <small class="soft"
              >Larger ones: <code>gh release upload ${release.tagName} FILE</code></small
            ></label
          >
          <button type="submit">Upload</button>`,
        'upload',
      )}
      <h2>Danger</h2>
      ${asking(
        'Delete this release',
        form.view(
          'delete',
          html`${id}
            <p>Its tag stays; its files go.</p>
            <button class="danger" type="submit">Delete the release for good</button>`,
        ),
      )}`,
    refused?.status,
  );
}

/** Creates, changes and deletes releases. */
export function submitReleaseAct(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository, path } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    const show = path['act'] === 'create' ? showNewRelease : showRefused;
    return answerAct(context, show, async (name) => {
      const id = form.get('id') ?? '';
      switch (name) {
        case 'create': {
          const fields = { ...releaseBody(form), generate_release_notes: form.has('generate') };
          return pageUrlIn(await perform(context, 'repos/create-release', at, fields));
        }
        case 'update': {
          const parameters = { ...at, release_id: id };
          const reply = await perform(
            context,
            'repos/update-release',
            parameters,
            releaseBody(form),
          );
          return pageUrlIn(reply);
        }
        case 'delete':
          await perform(context, 'repos/delete-release', { ...at, release_id: id });
          return pathIn(context, 'releases');
        case 'delete-asset': {
          const parameters = { ...at, asset_id: form.get('asset') ?? '' };
          await perform(context, 'repos/delete-release-asset', parameters);
          return releaseEditorPath(context, await getRelease(context));
        }
        default:
          return unknownAct();
      }
    });
  };
}

/** Adds files to a release. */
export function submitReleaseFiles(
  perform: Perform,
): (context: UploadContext) => Promise<WebResponse> {
  return async (context) => {
    const named = { ...context, path: { ...context.path, act: 'upload' } };
    return answerAct(named, showRefused, async () => {
      const { ports, repository, session, uploads, now } = context;
      const caller = sessionCaller(session);
      const confirmAccess = async (): Promise<void> => {
        await ports.database.read((sql) =>
          authorizeRepository(sql, caller, { id: repository.id }, mayPush),
        );
      };
      await confirmAccess();
      const release = await getRelease(context);
      if (uploads.length === 0) refuse({ kind: 'unprocessable', message: 'Choose a file.' });
      for (const { name, contentType, content } of uploads) {
        await perform.countCreation(context);
        await uploadAsset(ports, {
          release,
          uploaderId: session.account.id,
          name: readAssetName(name),
          label: null,
          upload: {
            content: Readable.from([Buffer.from(content)]),
            contentType,
            bytes: content.length,
            confirmAccess,
          },
          now,
        });
      }
      return releaseEditorPath(context, release);
    });
  };
}

async function showRefused(context: ActContext, refused: RefusedForm): Promise<WebResponse> {
  return showReleaseEditor(context, await getRelease(context), refused);
}

/** The release that a form is about. */
async function getRelease({ ports, repository, form }: ActContext): Promise<Release> {
  const id = Number(/^[1-9]\d{0,14}$/.exec(form.get('id') ?? '')?.[0] ?? notFound());
  return (await ports.database.read((sql) => findRelease(sql, repository.id, id))) ?? notFound();
}

function pageUrlIn(reply: Awaited<ReturnType<Perform>>): string {
  const pageUrl = reply.kind === 'json' ? textIn(reply.body, 'html_url') : undefined;
  if (pageUrl === undefined) throw new Error('a release has no address');
  return pageUrl;
}

function releaseBody(form: URLSearchParams): Record<string, unknown> {
  const as = form.get('as');
  return {
    tag_name: (form.get('tag_name') ?? '').trim(),
    target_commitish: (form.get('target_commitish') ?? '').trim(),
    name: form.get('name') ?? '',
    body: textOf(form, 'body'),
    prerelease: form.has('prerelease'),
    ...(form.has('latest') && { make_latest: 'true' }),
    ...(as !== null && { draft: as === 'draft' }),
  };
}

function releaseFields(form: PageForm, release: Release | undefined): Html {
  return html`${textField({
    label: 'Title',
    name: 'name',
    value: form.value('name', release?.name ?? ''),
    prose: true,
  })}
  ${textArea({
    label: 'Notes, in Markdown',
    name: 'body',
    value: form.value('body', release?.body ?? ''),
    rows: 12,
    prose: true,
  })}
  ${checkbox('prerelease', '1', form.checked('prerelease', '1', release?.prerelease ?? false), 'Prerelease: not ready for everyday use')}
  ${checkbox('latest', '1', form.checked('latest', '1', release === undefined), 'The latest release, unless it is a draft or a prerelease')}`;
}

function publishButtons(): Html {
  return html`<span class="actions">
    <button class="primary" type="submit" name="as" value="publish">Publish</button>
    <button type="submit" name="as" value="draft">Save as a draft</button>
  </span>`;
}

function assetRows(form: PageForm, assets: readonly ReleaseAsset[]): Html {
  return html`<ul class="rows">
    ${assets.map(
      (asset) =>
        html`<li>
          <span class="grow">${asset.name}</span> <span class="soft">${bytesText(asset.size)}</span>
          ${form.row(
            'delete-asset',
            html`${hidden('id', String(asset.releaseId))} ${hidden('asset', String(asset.id))}
              <button class="danger" type="submit" aria-label="Delete the file ${asset.name}">
                Delete
              </button>`,
          )}
        </li>`,
    )}
  </ul>`;
}

function requireWriter({ permission }: RepositoryContext): void {
  if (!atLeast(permission, 'write')) notFound();
}
