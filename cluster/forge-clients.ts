import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { git } from '../scenarios/git-client.ts';
import { NotDone } from '../scenarios/load.ts';
import type { Client } from './client.ts';

/** One round of work of each client of the forge. */
export interface Round {
  readonly name: string;
  readonly work: (round: number) => Promise<void>;
}

const pushed = 'refs/heads/pushed';
const shared = 'refs/heads/shared';
export const movedRefs: readonly string[] = [pushed, shared];

/** Statuses, comments, pushes, changes of refs by the API, pulls and merges, in one repository. */
export class ForgeClients {
  readonly repository: string;
  readonly #client: Client;
  readonly #clone: string;
  #base = '';
  #tree = '';

  constructor(client: Client, repository: string, folder: string) {
    this.#client = client;
    this.repository = `${client.login}/${repository}`;
    this.#clone = join(folder, repository);
  }

  /** Makes what the clients work on. `hook` gets a delivery for each comment. */
  async prepare(hook: string): Promise<void> {
    const [, name] = this.repository.split('/');
    await this.#client.ask('POST', '/user/repos', { name, auto_init: true }, [201]);
    const path = `/repos/${this.repository}`;
    const { body: main } = await this.#client.ask(
      'GET',
      `${path}/git/ref/heads/main`,
      undefined,
      [200],
    );
    this.#base = main.object.sha;
    const commit = await this.#client.ask(
      'GET',
      `${path}/git/commits/${this.#base}`,
      undefined,
      [200],
    );
    this.#tree = commit.body.tree.sha;
    await this.#client.ask('POST', `${path}/issues`, { title: 'comments' }, [201]);
    const config = { url: hook, content_type: 'json' };
    await this.#client.ask('POST', `${path}/hooks`, { config, events: ['issue_comment'] }, [201]);
    for (const ref of movedRefs) {
      await this.#client.ask('POST', `${path}/git/refs`, { ref, sha: this.#base }, [201]);
    }
    await mkdir(this.#clone, { recursive: true });
    await git(this.#clone, 'init', '-q', '.');
    await this.#fetch(pushed);
  }

  /** Two of them move one branch, against each other. */
  rounds(): readonly Round[] {
    return [
      { name: 'statuses', work: (round) => this.#addStatus(`c${round}`) },
      { name: 'comments', work: (round) => this.#addComment(`n${round}`, round) },
      { name: 'pushes', work: (round) => this.#push(round) },
      { name: 'refs', work: (round) => this.#moveShared(`one-${round}`) },
      { name: 'refs', work: (round) => this.#moveShared(`two-${round}`) },
      { name: 'pulls', work: (round) => this.#makePull(`p${round}`, round) },
    ];
  }

  async #addStatus(context: string): Promise<void> {
    const path = `/repos/${this.repository}/statuses/${this.#base}`;
    const { body } = await this.#client.ask('POST', path, { state: 'success', context }, [201]);
    this.#client.journal.statuses.push({ id: body.id, context });
  }

  async #addComment(text: string, round: number): Promise<void> {
    const path = `/repos/${this.repository}/issues/1/comments`;
    const { body } = await this.#client.ask('POST', path, { body: text }, [201]);
    this.#client.journal.comments.push({ id: body.id, body: text });
    if (round % 10 > 0) return;
    const name = `${this.repository.split('/')[1]}-${round}`;
    await this.#client.ask('POST', '/user/repos', { name, auto_init: true }, [201]);
    this.#client.journal.repositories.push(name);
  }

  async #push(round: number): Promise<void> {
    await this.#fetch(pushed);
    const from = await git(this.#clone, 'rev-parse', 'FETCH_HEAD');
    await git(this.#clone, 'checkout', '-q', '--detach', from);
    await writeFile(join(this.#clone, 'file'), `${round}\n`);
    await git(this.#clone, 'add', '-A');
    await git(this.#clone, 'commit', '-qm', `push ${round}`);
    const to = await git(this.#clone, 'rev-parse', 'HEAD');
    await this.#git('push', '-q', this.#remote(), `HEAD:${pushed}`);
    this.#client.journal.moves.push({ ref: pushed, from, to });
  }

  async #moveShared(message: string): Promise<void> {
    const path = `/repos/${this.repository}/git`;
    const { body: ref } = await this.#client.ask(
      'GET',
      `${path}/ref/heads/shared`,
      undefined,
      [200],
    );
    const from = ref.object.sha;
    const draft = { message, tree: this.#tree, parents: [from] };
    const { body: commit } = await this.#client.ask('POST', `${path}/commits`, draft, [201]);
    // 422: the other client was faster.
    const { status } = await this.#client.ask(
      'PATCH',
      `${path}/refs/heads/shared`,
      { sha: commit.sha },
      [200, 422],
    );
    if (status === 422) return;
    this.#client.journal.moves.push({ ref: shared, from, to: commit.sha });
  }

  /** Every fourth pull stays open, and gets a second commit. */
  async #makePull(title: string, round: number): Promise<void> {
    const path = `/repos/${this.repository}`;
    const branch = { ref: `refs/heads/${title}`, sha: this.#base };
    await this.#client.ask('POST', `${path}/git/refs`, branch, [201]);
    await this.#addFile(title, `${title}.txt`);
    const draft = { title, head: title, base: 'main' };
    const { body: pull } = await this.#client.ask('POST', `${path}/pulls`, draft, [201]);
    if (round % 4 === 0) return this.#addFile(title, `${title}-more.txt`);
    const merge = await this.#client.ask(
      'PUT',
      `${path}/pulls/${pull.number}/merge`,
      { merge_method: ['merge', 'squash', 'rebase'][round % 3] },
      // Another change of the base was faster, or the merge is not tested yet.
      [200, 405, 409],
    );
    if (merge.status !== 200) return;
    this.#client.journal.merges.push({ number: pull.number, title, sha: merge.body.sha });
  }

  async #addFile(branch: string, file: string): Promise<void> {
    const content = Buffer.from('x\n').toString('base64');
    const path = `/repos/${this.repository}/contents/${file}`;
    await this.#client.ask('PUT', path, { message: branch, content, branch }, [201]);
  }

  async #fetch(ref: string): Promise<void> {
    await this.#git('fetch', '-q', this.#remote(), ref);
  }

  /** With the credentials in the first request: git sends a second one only after a challenge. */
  async #git(...args: readonly string[]): Promise<void> {
    const { login, token, journal } = this.#client;
    const basic = Buffer.from(`${login}:${token}`).toString('base64');
    const credentials = ['-c', `http.extraHeader=Authorization: Basic ${basic}`];
    await git(this.#clone, ...credentials, ...args).catch((error: unknown) => {
      const output = String(Object(error).stderr).trim().split('\n')[0] ?? '';
      const reason = `git ${args[0]}: ${output}`.replaceAll(/127\S+/g, '…').slice(0, 120);
      if (/could not read Username|Authentication failed/.test(output)) {
        journal.unexpected.push(reason);
      }
      throw new NotDone(reason);
    });
  }

  #remote(): string {
    return `${this.#client.url}/${this.repository}.git`;
  }
}
