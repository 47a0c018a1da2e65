import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { git, remoteUrl } from './git-client.ts';
import { createLoadReport, type LoadReport, NotDone, repeat } from './load.ts';

/** Where the server is now: it may come back at another address. */
export interface ForgeTarget {
  readonly url: string;
  readonly login: string;
  readonly token: string;
}

/** What was acknowledged, and must be there whatever happens afterwards. */
export interface Acknowledged {
  readonly statuses: { readonly id: number; readonly context: string }[];
  readonly repositories: string[];
  readonly pushes: { readonly branch: string; readonly sha: string }[];
  readonly merges: { readonly number: number; readonly sha: string }[];
  readonly assets: { readonly id: number; readonly content: string }[];
}

export interface ForgeLoadOptions {
  readonly target: () => ForgeTarget;
  /** For the clones; exists. */
  readonly folder: string;
  /** Statuses that refuse a request without breaking a promise, in addition to those of the rules. */
  readonly excused?: readonly number[];
}

/** Statuses, repositories, pushes, pulls, merges and assets of releases, all at once and as fast as they go. */
export class ForgeLoad {
  readonly acknowledged: Acknowledged = {
    statuses: [],
    repositories: [],
    pushes: [],
    merges: [],
    assets: [],
  };
  readonly report: LoadReport = createLoadReport();
  readonly #options: ForgeLoadOptions;
  #sha = '';
  #run = 0;

  constructor(options: ForgeLoadOptions) {
    this.#options = options;
  }

  get #repository(): string {
    return `${this.#options.target().login}/work`;
  }

  /** Makes what the load works on. */
  async prepare(): Promise<void> {
    const created = await this.api('POST', '/user/repos', { name: 'work', auto_init: true });
    if (created.status !== 201) throw new Error(`The repository was refused: ${created.status}.`);
    for (const clone of this.#clones()) {
      await git(this.#options.folder, 'clone', '-q', this.#remote(this.#repository), clone);
    }
    this.#sha = await git(this.#clones()[0] ?? '', 'rev-parse', 'HEAD');
  }

  /** Works until it is stopped; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    await Promise.all([
      repeat(signal, this.report, (round) => this.#addStatus(`c${run}-${round}`)),
      repeat(signal, this.report, (round) => this.#addRepository(`made-${run}-${round}`)),
      repeat(signal, this.report, (round) => this.#addAsset(`v${run}-${round}`)),
      ...this.#clones().map((clone, index) =>
        repeat(signal, this.report, (round) =>
          this.#pushAndMerge(clone, `b${run}-${index}-${round}`, round),
        ),
      ),
    ]);
  }

  async api(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: any }> {
    const { url, token } = this.#options.target();
    const response = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'user-agent': 'forge-load' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** The same, where only some responses go on: others are excused or noted. */
  async #ask(method: string, path: string, body: unknown, wanted: readonly number[]) {
    const response = await this.api(method, path, body);
    if (wanted.includes(response.status)) return response;
    if (!this.#options.excused?.includes(response.status)) {
      const message = String(response.body?.message ?? '');
      this.report.unexpected.push(`${method} ${path}: ${response.status} ${message}`);
    }
    throw new NotDone(String(response.status));
  }

  async #addStatus(context: string): Promise<void> {
    const path = `/repos/${this.#repository}/statuses/${this.#sha}`;
    const { body } = await this.#ask('POST', path, { state: 'success', context }, [201]);
    this.acknowledged.statuses.push({ id: body.id, context });
    this.report.acknowledged += 1;
  }

  async #addRepository(name: string): Promise<void> {
    // 422: it was made, and the response was lost.
    const { status } = await this.#ask(
      'POST',
      '/user/repos',
      { name, auto_init: true },
      [201, 422],
    );
    if (status !== 201) return;
    this.acknowledged.repositories.push(name);
    this.report.acknowledged += 1;
  }

  async #addAsset(tag: string): Promise<void> {
    const releases = `/repos/${this.#repository}/releases`;
    const draft = { tag_name: tag, draft: true };
    const { body: release } = await this.#ask('POST', releases, draft, [201]);
    const content = tag.repeat(10_000);
    const upload = `${releases}/${release.id}/assets?name=asset`;
    const { body } = await this.#ask('POST', upload, content, [201]);
    this.acknowledged.assets.push({ id: body.id, content });
    this.report.acknowledged += 1;
  }

  async #pushAndMerge(clone: string, branch: string, round: number): Promise<void> {
    await git(clone, 'checkout', '-q', '-B', branch, this.#sha);
    await writeFile(join(clone, `${branch}.txt`), 'x\n');
    await git(clone, 'add', '-A');
    await git(clone, 'commit', '-qm', branch);
    const sha = await git(clone, 'rev-parse', 'HEAD');
    await this.#push(clone, branch);
    this.acknowledged.pushes.push({ branch, sha });
    this.report.acknowledged += 1;
    const pulls = `/repos/${this.#repository}/pulls`;
    const body = { title: branch, head: branch, base: 'main' };
    const { body: pull } = await this.#ask('POST', pulls, body, [201]);
    const method = ['merge', 'squash', 'rebase'][round % 3];
    const path = `${pulls}/${pull.number}/merge`;
    const merge = await this.#ask('PUT', path, { merge_method: method }, [200, 405, 409]);
    if (merge.status !== 200) return;
    this.acknowledged.merges.push({ number: pull.number, sha: merge.body.sha });
    this.report.acknowledged += 1;
  }

  /**
   * The first request has the credentials. Where git sends them after a challenge, a server that is gone by then is an authentication
   * that failed, as is one that refuses valid credentials: the status of git's last response was 401.
   */
  async #push(clone: string, branch: string): Promise<void> {
    const { url, login, token } = this.#options.target();
    const basic = Buffer.from(`${login}:${token}`).toString('base64');
    const credentials = ['-c', `http.extraHeader=Authorization: Basic ${basic}`];
    const remote = `${url}/${this.#repository}.git`;
    await git(clone, ...credentials, 'push', '-q', remote, branch).catch((error: unknown) => {
      const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
      const reason = `push: ${output.trim().split('\n')[0] ?? ''}`.slice(0, 120);
      if (/could not read Username|Authentication failed/.test(output)) {
        this.report.unexpected.push(reason);
      }
      throw new NotDone(reason);
    });
  }

  /** Looks for everything that was acknowledged; one sentence for each that is lost or half done. */
  async losses(acknowledged: Acknowledged = this.acknowledged): Promise<string[]> {
    const lost: string[] = [];
    const bare = join(this.#options.folder, 'verify.git');
    await rm(bare, { recursive: true, force: true });
    await mkdir(bare, { recursive: true });
    await git(bare, 'clone', '-q', '--mirror', this.#remote(this.#repository), '.');
    await git(bare, 'fsck', '--strict', '--no-dangling').catch((error: unknown) => {
      lost.push(`git fsck: ${String(error)}`);
    });
    const refs = await git(bare, 'for-each-ref', '--format=%(refname) %(objectname)');
    const tips = new Map(refs.split('\n').map((line) => [line.split(' ')[0], line.split(' ')[1]]));
    for (const { branch, sha } of acknowledged.pushes) {
      if (tips.get(`refs/heads/${branch}`) !== sha) lost.push(`the push of ${branch}`);
    }
    lost.push(...(await this.#lostMerges(bare, acknowledged)));
    lost.push(...(await this.#lostStatuses(acknowledged)));
    lost.push(...(await this.#lostAssets(acknowledged)));
    // Those of earlier runs were checked then; asking each again would take most of the time.
    for (const name of acknowledged.repositories.slice(-10)) {
      const { body, status } = await this.api(
        'GET',
        `/repos/${this.#options.target().login}/${name}`,
      );
      const there =
        status === 200 &&
        /refs\/heads\/main/.test(
          await git(this.#options.folder, 'ls-remote', this.#remote(body.full_name)),
        );
      if (!there) lost.push(`the repository ${name}`);
    }
    return lost;
  }

  async #lostMerges(bare: string, acknowledged: Acknowledged): Promise<string[]> {
    const lost: string[] = [];
    const reachable = new Set((await git(bare, 'rev-list', 'main')).split('\n'));
    const merged = new Map<number, string>();
    for (const pull of await this.#all(`/repos/${this.#repository}/pulls?state=all`)) {
      const inGit = reachable.has(pull.merged_at === null ? pull.head.sha : pull.merge_commit_sha);
      if (pull.merged_at === null && pull.state === 'open' && inGit) {
        lost.push(`pull ${pull.number} is in git but open`);
      }
      if (pull.merged_at === null) continue;
      if (!inGit) lost.push(`pull ${pull.number} is merged but not in git`);
      merged.set(pull.number, pull.merge_commit_sha);
    }
    for (const { number, sha } of acknowledged.merges) {
      if (merged.get(number) !== sha) lost.push(`the merge of ${number}`);
    }
    return lost;
  }

  async #lostStatuses(acknowledged: Acknowledged): Promise<string[]> {
    const lost: string[] = [];
    const listed = new Set<string>();
    for (const status of await this.#all(
      `/repos/${this.#repository}/commits/${this.#sha}/statuses?`,
    )) {
      const key = `${status.id} ${status.context}`;
      if (listed.has(key)) lost.push(`status ${key} is there twice`);
      listed.add(key);
    }
    for (const { id, context } of acknowledged.statuses) {
      if (!listed.has(`${id} ${context}`)) lost.push(`the status ${context}`);
    }
    return lost;
  }

  async #lostAssets({ assets }: Acknowledged): Promise<string[]> {
    const lost: string[] = [];
    const { url, token } = this.#options.target();
    // Those of earlier runs were checked then.
    for (const { id, content } of assets.slice(-50)) {
      const path = `${url}/api/v3/repos/${this.#repository}/releases/assets/${id}`;
      const headers = { authorization: `token ${token}`, accept: 'application/octet-stream' };
      const response = await fetch(path, { headers: { ...headers, 'user-agent': 'forge-load' } });
      if ((await response.text()) !== JSON.stringify(content)) lost.push(`the asset ${id}`);
    }
    return lost;
  }

  async #all(path: string): Promise<any[]> {
    const all: any[] = [];
    for (let page = 1; ; page += 1) {
      const { body } = await this.api('GET', `${path}&per_page=100&page=${page}`);
      all.push(...body);
      if (body.length < 100) return all;
    }
  }

  #clones(): string[] {
    return ['clone-0', 'clone-1'].map((name) => join(this.#options.folder, name));
  }

  #remote(fullName: string): string {
    const { url, login, token } = this.#options.target();
    return remoteUrl(url, login, token, fullName);
  }
}
