import { changeFile } from '../../contents/change-file.ts';
import { commitOnBranch, type FileAddition } from '../../contents/commit-on-branch.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { zoneOffsetMinutes } from '../../http/time-zone.ts';
import {
  branchRef,
  type BranchName,
  noObject,
  parseBranchName,
  parseTreePath,
} from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { moveRef } from '../../ref-updates/move-ref.ts';
import { readPeople, type SigningTime } from '../../repositories/commit-people.ts';
import { authorizeRepository, mayPush } from '../../repositories/repository-access.ts';
import type { RefusedForm } from '#web/page-form.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import {
  type ActContext,
  filled,
  numberIn,
  refusedAct,
  textOf,
  unknownAct,
  type UploadContext,
} from './discussion-acts.ts';
import {
  editedBytesMax,
  type FileLocation,
  showDeletion,
  showEditor,
  showNewFile,
  showUpload,
} from './files.ts';
import { sessionCaller } from '../../auth/sessions/session.ts';

const shows = { create: showNewFile, update: showEditor, delete: showDeletion } as const;

/** Takes the forms that change one file. */
export function submitFileAct(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, path } = context;
    const name = path['act'] ?? '';
    const act = isAct(name) ? name : unknownAct();
    const typed = form.get('path') ?? '';
    const from = form.get('from') ?? typed;
    // The name that a file has may begin or end with a space.
    const file = act !== 'create' && typed === from ? typed : typed.trim();
    const shown = act === 'create' ? '' : from;
    return refusedOnForm(context, { name: act, path: shown, show: shows[act] }, async (branch) => {
      const title = {
        create: `Create ${file}`,
        update: `Update ${file}`,
        delete: `Delete ${file}`,
      };
      const change = { file, from, branch, message: messageOf(form, title[act]) };
      return onTarget(perform, context, change, async (target) => {
        await changeOne(perform, context, act, { ...change, branch: target });
        return act === 'delete' ? undefined : file;
      });
    });
  };
}

/** Commits files that were uploaded, as one commit. */
export function submitUpload(perform: Perform): (context: UploadContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, uploads } = context;
    const folder = form.get('folder') ?? '';
    return refusedOnForm(
      context,
      { name: 'upload', path: folder, show: showUpload },
      async (branch) => {
        const additions = uploads.map(({ name, content }): FileAddition => ({
          path: folder === '' ? name : `${folder}/${name}`,
          content: Buffer.from(content),
        }));
        if (additions.length === 0) unprocessable('Choose a file.');
        const message = messageOf(form, 'Add files by upload');
        return onTarget(perform, context, { branch, message }, async (target) => {
          await commitUploads(context, target, message, additions);
          return undefined;
        });
      },
    );
  };
}

type FileAct = keyof typeof shows;

function isAct(name: string): name is FileAct {
  return Object.hasOwn(shows, name);
}

interface Change {
  /** Where the file is to be. */
  readonly file: string;
  /** Where it was. */
  readonly from: string;
  readonly branch: string;
  readonly message: string;
}

async function changeOne(
  perform: Perform,
  context: ActContext,
  act: FileAct,
  { file, from, branch, message }: Change,
): Promise<void> {
  const { form, repository, session, ports, now } = context;
  const at = { owner: repository.owner.login, repo: repository.name, '*': file };
  const sha = form.get('sha') ?? '';
  if (act === 'delete') {
    await perform(context, 'repos/delete-file', at, { message, branch, sha });
    return;
  }
  const content = await contentOf(context, act, from);
  if (act === 'update' && from !== file) {
    const caller = sessionCaller(session);
    await ports.database.read((sql) =>
      authorizeRepository(sql, caller, { id: repository.id }, mayPush),
    );
    const people = readPeople({}, session.account, signingTime(context));
    const change = { repository, caller, path: file, branch, message, sha, content, now };
    await changeFile(ports, { ...change, ...people, movedFrom: from });
    return;
  }
  await perform(context, 'repos/create-or-update-file-contents', at, {
    message,
    branch,
    content: content.toString('base64'),
    ...(act === 'update' && { sha }),
  });
}

/** Browsers send line ends as CR LF: the file keeps the kind of its first one. */
async function contentOf({ git, form }: ActContext, act: FileAct, path: string): Promise<Buffer> {
  const text = textOf(form, 'content');
  if (act === 'create') return Buffer.from(text);
  const branch = parseBranchName(form.get('branch') ?? '');
  const tip = branch && (await git.readRef(branchRef(branch)));
  const file = parseTreePath(path);
  const entry = tip && file && (await git.findPath(tip, file));
  const isEditable = entry?.type === 'blob' && (entry.size ?? 0) <= editedBytesMax;
  const before = isEditable ? await git.readBlob(entry.id) : undefined;
  const end = before?.indexOf('\n') ?? -1;
  const hasCarriageReturn = end > 0 && before?.[end - 1] === 0x0d;
  return Buffer.from(hasCarriageReturn ? text.replaceAll('\n', '\r\n') : text);
}

async function commitUploads(
  context: UploadContext,
  target: string,
  message: string,
  additions: readonly FileAddition[],
): Promise<void> {
  const { ports, git, repository, session } = context;
  const caller = sessionCaller(session);
  await ports.database.read((sql) =>
    authorizeRepository(sql, caller, { id: repository.id }, mayPush),
  );
  const branch = parseBranchName(target) ?? notFound();
  const expectedHead = await git.readRef(branchRef(branch));
  await commitOnBranch(ports, {
    repository,
    caller,
    branch,
    expectedHead,
    message,
    additions,
    deletions: [],
    signingTime: signingTime(context),
  });
}

/** Runs a change on the branch that the form chooses, and leads to what it changed there, or to its new pull. */
async function onTarget(
  perform: Perform,
  context: ActContext,
  { branch, message }: Pick<Change, 'branch' | 'message'>,
  change: (target: string) => Promise<string | undefined>,
): Promise<string> {
  const { form, repository, urls } = context;
  const name = fullName(repository);
  if (form.get('target') !== 'new') {
    const file = await change(branch);
    return file === undefined ? urls.treeHtml(name, branch, '') : urls.blobHtml(name, branch, file);
  }
  const made = (form.get('new_branch') ?? '').trim();
  if (made === '') unprocessable('Name the new branch.');
  const at = { owner: repository.owner.login, repo: repository.name };
  const file = await onNewBranch(perform, context, { made, from: branch }, change);
  if (!form.has('open_pull')) {
    return file === undefined ? urls.treeHtml(name, made, '') : urls.blobHtml(name, made, file);
  }
  const [title = '', ...body] = message.split('\n');
  const reply = await perform(context, 'pulls/create', at, {
    title,
    body: body.join('\n').trim(),
    head: made,
    base: branch,
  });
  const number = reply.kind === 'json' ? numberIn(reply.body, 'number') : undefined;
  if (number === undefined) throw new Error('pulls/create returned no number');
  return urls.pullHtml(name, number);
}

/** Runs a change on a branch that is created for it, and removed again if the change is refused, unless it was pushed to meanwhile. */
async function onNewBranch(
  perform: Perform,
  context: ActContext,
  { made, from }: { readonly made: string; readonly from: string },
  change: (target: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { ports, git, repository, session, now } = context;
  const at = { owner: repository.owner.login, repo: repository.name };
  const source = parseBranchName(from);
  const old = source && (await git.readRef(branchRef(source)));
  await perform(context, 'git/create-ref', at, { ref: `refs/heads/${made}`, sha: old ?? '' });
  try {
    return await change(made);
  } catch (error) {
    const branch = parseBranchName(made);
    if (branch && old) {
      const caller = sessionCaller(session);
      const move = { ref: branchRef(branch), old, new: noObject, now };
      await moveRef(ports, { repositoryId: repository.id, caller, ...move });
    }
    throw error;
  }
}

/** Leads where the act says, or shows the form again, with what was filled in. */
async function refusedOnForm<C extends ActContext>(
  context: C,
  {
    name,
    path,
    show,
  }: {
    readonly name: string;
    readonly path: string;
    readonly show: (
      context: C,
      location: FileLocation,
      refused: RefusedForm,
    ) => Promise<WebResponse>;
  },
  act: (branch: BranchName) => Promise<string>,
): Promise<WebResponse> {
  const { form, git } = context;
  const branch = parseBranchName(form.get('branch') ?? '') ?? notFound();
  const again = async (refused: RefusedForm): Promise<WebResponse> => {
    const commit = await git.readRef(branchRef(branch));
    return show(context, { revision: branch, commit, path }, refused);
  };
  return refusedAct({ name, form, show: again }, async () => seeOther(await act(branch)));
}

function messageOf(form: URLSearchParams, otherwise: string): string {
  const title = filled(form.get('title')) ?? otherwise;
  const description = filled(form.get('description'));
  return description === undefined ? title : `${title}\n\n${description}`;
}

function signingTime({ now, session }: ActContext): SigningTime {
  const zone = session.account.timeZone ?? 'UTC';
  return { now, zoneOffset: (at) => zoneOffsetMinutes(zone, at) };
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
