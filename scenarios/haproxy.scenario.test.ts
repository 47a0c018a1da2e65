import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { mkdtemp, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { crc32 } from 'node:zlib';
import { tmpdir } from 'node:os';
import { text as readText } from 'node:stream/consumers';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { endWithThisProcess } from './child-processes.ts';
import { until } from './patience.ts';
import { removeFolder, rootFolder, type RunningServer, startServer } from './running-server.ts';

const isInstalled = spawnSync('haproxy', ['-v']).status === 0;

/** An address that nobody has (RFC 5737); HAProxy takes it from the PROXY protocol. */
const clientAddress = '203.0.113.9';

describe(
  'the HAProxy of the examples',
  { skip: isInstalled ? false : 'haproxy is not installed' },
  () => {
    let folder: string;
    let server: RunningServer;
    let proxy: ChildProcess;
    let socket: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hob-haproxy-'));
      server = await startServer(join(folder, 'data'), {
        environment: {
          HOB_TRUSTED_PROXIES: '127.0.0.1',
          HOB_METRICS: 'loopback',
          HOB_ACCESS_LOG: 'on',
          HOB_STOP_DELAY_SECONDS: '30',
        },
      });
      socket = join(folder, 'proxy');
      const config = join(folder, 'haproxy.cfg');
      // The file of the example, listening where no other test does and speaking to this server.
      const example = readFileSync(join(rootFolder, 'deploy/haproxy/haproxy.cfg'), 'utf8');
      const bound = example.replace(/^ {2}bind .*$/m, `  bind unix@${socket} accept-proxy`);
      writeFileSync(config, bound.replace('127.0.0.1:3000', new URL(server.url).host));
      proxy = spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore' });
      endWithThisProcess(proxy);
      await until(
        () => {
          assert.equal(proxy.exitCode, null, 'HAProxy runs');
          return stat(socket).catch(() => undefined);
        },
        { seconds: 60, missing: 'the socket of HAProxy' },
      );
      await answers(200);
    });
    after(async () => {
      const ended = once(proxy, 'exit');
      proxy.kill('SIGKILL');
      await ended;
      await server.kill();
      await removeFolder(folder);
    });

    /** One request on a connection of its own; answers with everything that came. */
    function ask(path: string, headers: readonly string[] = []): Promise<string> {
      return new Promise((resolve, reject) => {
        let text = '';
        const connection = connect(socket, () => {
          connection.write(`PROXY TCP4 ${clientAddress} 198.51.100.1 40000 443\r\n`);
          const lines = [
            `GET ${path} HTTP/1.1`,
            'Host: code.example.org',
            'User-Agent: t',
            ...headers,
          ];
          connection.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
        });
        connection.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        connection.on('error', reject);
        connection.on('close', () => resolve(text));
      });
    }

    const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

    /** HAProxy looks once a second whether the server is ready. */
    function answers(status: number): Promise<true> {
      return until(
        async () => (statusOf(await ask('/api/v3/meta')) === status ? true : undefined),
        { seconds: 60, missing: `status ${status}` },
      );
    }

    it('tells Hob the address of the client, not what the client says', async () => {
      const forged = ['X-Forwarded-For: 192.0.2.1', 'Forwarded: for=192.0.2.1'];
      assert.equal(statusOf(await ask('/api/v3/users/behind-the-proxy', forged)), 404);
      const path = '"path":"/api/v3/users/behind-the-proxy"';
      // The log is written once a second.
      const line = await until(
        () =>
          server
            .output()
            .split('\n')
            .find((each) => each.includes(path)),
        { seconds: 60, missing: 'the line of the request' },
      );
      assert.equal(JSON.parse(line).client, clientAddress);
    });

    it('keeps the metrics from the outside, as Hob does itself', async () => {
      for (const path of ['/metrics', '/metrics/', '/%6detrics', '//metrics']) {
        const answer = await ask(path);
        assert.equal(statusOf(answer), 404, path);
        assert.ok(!answer.includes('hob_'), path);
      }
      const direct = await fetch(`${server.url}/metrics`);
      assert.equal(direct.status, 200);
      assert.match(await direct.text(), /^hob_database_up 1$/m);
    });

    it('sends no more to a server that stops', async () => {
      process.kill(server.pid, 'SIGTERM');
      await answers(503);
      // Until the delay is over it would still answer: that none arrives is what the proxy does.
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    });
  },
);

describe(
  'the HAProxy of a cluster',
  { skip: isInstalled ? false : 'haproxy is not installed' },
  () => {
    const names = ['node-1', 'node-2', 'node-3'];
    const nodes: Server[] = [];
    /** Nodes that stop: they answer, but are not ready. */
    const stopping = new Set<string>();
    /** Which node has everything. */
    let owner: string | undefined = 'node-3';
    let folder: string;
    let proxy: ChildProcess;
    let socket: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hob-haproxy-'));
      socket = join(folder, 'proxy');
      let text = readFileSync(join(rootFolder, 'deploy/cluster/haproxy.cfg'), 'utf8');
      text = text.replace('bind :3000', `bind unix@${socket}`);
      for (const name of names) {
        const node = createServer(({ url }, response) => {
          if (url === '/readyz' && stopping.has(name)) response.statusCode = 503;
          if (url !== '/readyz' && owner !== undefined && owner !== name)
            response.setHeader('Hob-Node', String(crc32(`${owner}:3100`)));
          response.end(name);
        });
        nodes.push(node);
        await once(node.listen(join(folder, name)), 'listening');
        text = text.replaceAll(`${name}:3000`, `unix@${join(folder, name)}`);
      }
      writeFileSync(join(folder, 'haproxy.cfg'), text);
      proxy = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
      endWithThisProcess(proxy);
      await until(() => stat(socket).catch(() => undefined), {
        seconds: 60,
        missing: 'the socket of HAProxy',
      });
    });
    after(async () => {
      const ended = once(proxy, 'exit');
      proxy.kill('SIGKILL');
      await ended;
      for (const node of nodes) {
        node.close();
        node.closeAllConnections();
      }
      await removeFolder(folder);
    });

    /** The nodes that answer four requests. */
    async function answering(path: string): Promise<readonly string[]> {
      const seen: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        const [response] = await once(get({ socketPath: socket, path, agent: false }), 'response');
        assert.equal(response.headers['hob-node'], undefined, 'clients do not get it');
        seen.push(await readText(response));
      }
      return seen;
    }

    it('sends requests to the node that has the repository or function, once it was named', async () => {
      owner = 'node-3';
      for (const path of [
        '/a/b.git/info/refs?service=git-upload-pack',
        '/2015-03-31/functions/f/invocations',
        '/lambda-url/x/y?z',
      ]) {
        // One of them was another node, which named it.
        await answering(path);
        assert.deepEqual(new Set(await answering(path)), new Set(['node-3']), path);
      }
      assert.deepEqual(new Set(await answering('/A/B.git/git-upload-pack')), new Set(['node-3']));
      owner = 'node-1';
      const [first, ...later] = await answering('/a/b.git/git-upload-pack');
      assert.equal(first, 'node-3');
      assert.deepEqual(later, ['node-1', 'node-1', 'node-1'], 'it has moved');
    });

    it('spreads what any node does as well, and what no node has named itself for', async () => {
      owner = 'node-2';
      assert.deepEqual(new Set(await answering('/api/v3/repos/a/b')), new Set(names));
      owner = undefined;
      assert.deepEqual(new Set(await answering('/c/d/info/refs')), new Set(names));
    });

    it('sends nothing more to a node that stops, whoever names it', async () => {
      owner = 'node-2';
      await answering('/g/h/info/refs');
      stopping.add('node-2');
      const others = new Set(['node-1', 'node-3']);
      await until(
        async () => {
          const seen = new Set(await answering('/g/h/info/refs'));
          return seen.isSubsetOf(others) || undefined;
        },
        { seconds: 10, missing: 'the end of requests for the node' },
      );
      stopping.clear();
      await until(async () => (await answering('/api/v3/meta')).includes('node-2') || undefined, {
        seconds: 10,
        missing: 'requests for the node that is ready again',
      });
    });

    it('asks the others where the node that has it is gone', async () => {
      owner = 'node-1';
      await answering('/e/f/info/refs');
      nodes[0]?.close();
      nodes[0]?.closeAllConnections();
      owner = undefined;
      const others = new Set(['node-2', 'node-3']);
      assert.deepEqual(new Set(await answering('/e/f/info/refs')), others);
    });
  },
);
