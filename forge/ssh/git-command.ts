import type { GitService } from '../git/git.ts';

/** What a client asks to run. */
export type SshCommand =
  | {
      readonly kind: 'git';
      readonly service: GitService;
      readonly owner: string;
      readonly name: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** As git's clients write it: the service, and the path in single quotes. */
const gitCommand = /^git[ -](upload-pack|receive-pack) (?:'([^'\\]*)'|([^\s'"\\]+))$/;
const repositoryPath = /^\/?([\w.-]{1,100})\/([\w.-]{1,200}?)(?:\.git)?\/?$/;

/** Nothing but git is run, and no shell sees the text. */
export function parseSshCommand(text: string): SshCommand {
  if (/^git[ -]upload-archive /.test(text)) {
    const message =
      'git archive is not supported over SSH. Download an archive over HTTP instead: /OWNER/REPOSITORY/archive/REF.tar.gz.';
    return { kind: 'refused', message };
  }
  const [, service, quoted, plain] = gitCommand.exec(text) ?? [];
  if (service !== 'upload-pack' && service !== 'receive-pack') {
    const message =
      'Only git can be used over SSH: git-upload-pack and git-receive-pack with the path of a repository.';
    return { kind: 'refused', message };
  }
  const [, owner, name] = repositoryPath.exec(quoted ?? plain ?? '') ?? [];
  if (owner === undefined || name === undefined) {
    return { kind: 'refused', message: 'Repository not found.' };
  }
  return { kind: 'git', service, owner, name };
}
