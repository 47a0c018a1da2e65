import type { GitService } from '../git/git.ts';

/** What a client asks to run. */
export type SshCommand =
  | {
      readonly kind: 'git';
      readonly service: GitService;
      readonly owner: string;
      readonly name: string;
    }
  /** Asks for credentials to transfer large files over HTTP. */
  | {
      readonly kind: 'lfs';
      readonly service: GitService;
      readonly owner: string;
      readonly name: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** As git's clients write it: the service, and the path in single quotes. */
const gitCommand = /^git[ -](upload-pack|receive-pack) (?:'([^'\\]*)'|([^\s'"\\]+))$/;
/** As Git LFS writes it: the path, quoted or not, the operation, and in older versions the id of an object. */
const lfsCommand =
  /^git-lfs-authenticate (?:'([^'\\]*)'|([^\s'"\\]+)) (download|upload)(?: [0-9a-f]{64})?$/;
const repositoryPath = /^\/?([\w.-]{1,100})\/([\w.-]{1,200}?)(?:\.git)?\/?$/;

/** Nothing but git is run, and no shell sees the text. */
export function parseSshCommand(text: string): SshCommand {
  if (/^git[ -]upload-archive /.test(text)) {
    const message =
      'git archive is not supported over SSH. Download an archive over HTTP instead: /OWNER/REPOSITORY/archive/REF.tar.gz.';
    return { kind: 'refused', message };
  }
  const [, lfsQuoted, lfsPlain, operation] = lfsCommand.exec(text) ?? [];
  if (operation !== undefined) {
    const at = parsePath(lfsQuoted ?? lfsPlain ?? '');
    const service = operation === 'upload' ? 'receive-pack' : 'upload-pack';
    return at ? { kind: 'lfs', service, ...at } : unknown;
  }
  const [, service, quoted, plain] = gitCommand.exec(text) ?? [];
  if (service !== 'upload-pack' && service !== 'receive-pack') {
    const message =
      'Only git can be used over SSH: git-upload-pack and git-receive-pack with the path of a repository.';
    return { kind: 'refused', message };
  }
  const at = parsePath(quoted ?? plain ?? '');
  return at ? { kind: 'git', service, ...at } : unknown;
}

const unknown = { kind: 'refused', message: 'Repository not found.' } as const;

function parsePath(path: string): { readonly owner: string; readonly name: string } | undefined {
  const [, owner, name] = repositoryPath.exec(path) ?? [];
  return owner === undefined || name === undefined ? undefined : { owner, name };
}
