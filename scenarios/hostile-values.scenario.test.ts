/** Hostile values of the whole contract and of every interface that programs have, on a real server; seen from inside. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import type { Operation } from '#functions-contract/operation.ts';
import { createFunction, invoke } from '#functions-contract/operations/functions.ts';
import { invokeWithResponseStream } from '#functions-contract/operations/invoke-with-response-stream.ts';
import { createFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';
import { addPermission } from '#functions-contract/operations/permissions.ts';
import { publishLayerVersion } from '#functions-contract/operations/layers.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';
import { writeImageLayout } from '#functions/code/testing/image-layout-of.ts';
import type { TarItem } from '#functions/code/testing/tar-of.ts';
import { zipOf } from '#functions/code/testing/zip-of.ts';
import { type IsolationTier, isWeakerThan } from '#functions/launcher/isolation.ts';
import { findHostTools } from '#functions/launcher/process/host-tools.ts';
import { cgroupParent } from '#functions/launcher/supervisor/stale-state.ts';
import { processesWith } from '#functions/launcher/testing/launcher-pid.ts';
import { requestOf } from '#functions/testing/request-of.ts';
import { present } from '#platform/present.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { hostileInputs, type HostileInput } from './contract-values.ts';
import { functionEnvironment, role, tierOf } from './function-service.ts';
import { type Look, lookProgram, readLook, textOf } from './look-program.ts';
import {
  hostileResponses,
  hostileRequests,
  hostileStarts,
  subscriptions,
} from './hostile-requests.ts';
import { urlResponses, urlRequests } from './hostile-url-requests.ts';
import { until } from './patience.ts';
import {
  commandOnHost,
  removeFolder,
  rootFolder,
  type RunningServer,
  type ServerOptions,
  startServer,
} from './running-server.ts';

const run = promisify(execFile);
const { perl } = findHostTools();
const nobody = 65_534;
const accessPoint =
  'arn:aws:elasticfilesystem:us-east-1:123456789012:access-point/fsap-0123456789abcdef0';

interface Variant extends Pick<ServerOptions, 'user' | 'without' | 'flags'> {
  /** Undefined: whichever the host allows. */
  readonly tier?: IsolationTier;
}

/** Some hosts have no namespaces for such a user. */
const unprivileged = { user: nobody, flags: ['--insecure-functions'] };

/** Every tier, as the hosts have it that lack what the tiers above need. */
const variants: Record<string, Variant> = {
  'a server of this user': {},
  ...(canHideTools()
    ? {
        'a server without bubblewrap': { without: ['bwrap'], tier: 'user' },
        'a server without namespaces': { without: ['bwrap', 'unshare'], tier: 'container' },
      }
    : {}),
  ...(canBeNobody()
    ? {
        'a server without root': { ...unprivileged, tier: 'user' },
        'a server without root and bubblewrap': {
          ...unprivileged,
          without: ['bwrap'],
          tier: 'user',
        },
        'a server without root and namespaces': {
          ...unprivileged,
          without: ['bwrap', 'unshare'],
          tier: 'bare',
        },
      }
    : {}),
};

interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const skip = process.platform !== 'linux' || perl === undefined ? 'needs Linux and perl' : false;

for (const [name, { tier: strongest, ...how }] of Object.entries(variants)) {
  describe(`hostile values and ${name}`, { skip, concurrency: 4 }, () => {
    let folder: string;
    let data: string;
    let server: RunningServer;
    let tier: IsolationTier;
    let host: Server;
    let images: boolean;
    let reached = 0;
    let created = 0;
    let ran = 0;
    let usual: Look;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hob-hostile-'));
      await chmod(folder, 0o755);
      data = join(folder, 'server', 'data');
      await mkdir(join(folder, 'server'));
      await mkdir(join(folder, 'shared'), { mode: 0o777 });
      await chmod(join(folder, 'shared'), 0o777);
      images = await writePerlImage(join(folder, 'images'));
      host = createServer((socket) => {
        reached += 1;
        socket.destroy();
      });
      // It keeps no process alive in which something else has failed.
      host.unref().listen(0, '127.0.0.1');
      await once(host, 'listening');
      const resources = join(folder, 'resources.json');
      const declared = {
        subnets: { 'subnet-1': { vpc: 'vpc-1', reaches: [] } },
        securityGroups: { 'sg-1': { vpc: 'vpc-1' } },
        accessPoints: { [accessPoint]: { folder: join(folder, 'shared') } },
      };
      await writeFile(resources, JSON.stringify(declared));
      await chmod(resources, 0o644);
      if (how.user !== undefined) await chown(join(folder, 'server'), how.user, how.user);
      server = await startServer(data, {
        environment: {
          ...functionEnvironment,
          HOB_ALLOW_UNSIGNED: 'on',
          HOB_RESOURCES: resources,
          HOB_IMAGES_FOLDER: join(folder, 'images'),
        },
        ...how,
      });
      tier = await tierOf(server);
      assert.ok(strongest === undefined || !isWeakerThan(strongest, tier), tier);
      await create({ FunctionName: 'looking' });
      usual = await look('looking');
    });
    after(async () => {
      await server.stop();
      host.close();
      // Nothing is left of what ran.
      assert.deepEqual(await readdir(join(data, 'functions', 'launcher')), []);
      assert.ok(!(await readdir(data)).includes('sockets'));
      const family = cgroupParent(join(data, 'functions', 'launcher'));
      const groups = await readdir('/sys/fs/cgroup', { recursive: true }).catch(() => []);
      assert.deepEqual(
        groups.filter((path) => path.split('/').includes(family)),
        [],
      );
      assert.ok(!(await readFile('/proc/self/mountinfo', 'utf8')).includes(data));
      assert.deepEqual(await processesWith(data), []);
      await removeFolder(folder);
    });

    /** What does not depend on the tier is tried in full in the strongest one. */
    const some = <T>(items: readonly T[]): readonly T[] =>
      strongest === undefined ? items : items.filter((_, index) => index % 8 === 0);

    const isIsolated = (): boolean => tier === 'full' || tier === 'user';

    async function ask(
      operation: Operation,
      input: Readonly<Record<string, unknown>>,
    ): Promise<HttpResponse> {
      const { method, target, headers = {}, body } = requestOf(operation, input);
      const init = { method, headers, ...present({ body }) };
      const response = await fetch(server.url + target, init);
      const answered = {
        status: response.status,
        text: await response.text(),
        headers: response.headers,
      };
      const settings = JSON.stringify(input);
      const where = `${operation.name} ${settings.slice(0, 300)}: ${answered.status} ${answered.text.slice(0, 500)}`;
      assert.ok(answered.status < 500, where);
      for (const path of [data, folder, rootFolder]) {
        // What the caller said may be said again.
        assert.ok(!answered.text.includes(path) || settings.includes(path), where);
      }
      return answered;
    }

    /** Each item is for one of a few functions of the same settings, whose view of the host is checked in the end. */
    async function onSeveral<T>(
      named: string,
      settings: Readonly<Record<string, unknown>>,
      items: readonly T[],
      action: (FunctionName: string, item: T) => Promise<void>,
    ): Promise<void> {
      const names = [1, 2, 3, 4].map((number) => `${named}-${number}`);
      const waiting = [...items];
      await Promise.all(
        names.map(async (FunctionName) => {
          await create({ FunctionName, ...settings });
          for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
            await action(FunctionName, item);
          }
          await look(FunctionName);
        }),
      );
    }

    /** The path, on the site's own origin, of a function that everybody may call. */
    async function urlOf(
      FunctionName: string,
      settings: Readonly<Record<string, unknown>>,
    ): Promise<{ readonly path: string }> {
      await create({ FunctionName, Timeout: 2 });
      const { text } = await ask(createFunctionUrlConfig, {
        FunctionName,
        AuthType: 'NONE',
        ...settings,
      });
      await ask(addPermission, {
        FunctionName,
        StatementId: 'url',
        Action: 'lambda:InvokeFunctionUrl',
        Principal: '*',
        FunctionUrlAuthType: 'NONE',
      });
      const { FunctionUrl }: { FunctionUrl: string } = JSON.parse(text);
      const urlId = /[a-z2-7]{32}/.exec(FunctionUrl)?.[0];
      return { path: `/lambda-url/${urlId}/` };
    }

    const ofServer = (file: string): string => `/proc/${server.pid}/${file}`;

    /** Of the server and of every environment that is there. */
    async function sockets(): Promise<string[]> {
      const own = join(data, 'sockets', 'run');
      const folders = [dirname(own), ...(await readdir(own)).map((each) => join(own, each))];
      const entries = folders.map((each) => readdir(each, { withFileTypes: true }).catch(() => []));
      return (await Promise.all(entries))
        .flat()
        .filter((entry) => entry.isSocket())
        .map((entry) => join(entry.parentPath, entry.name));
    }

    const addressOfServer = (): number => Number(new URL(server.url).port);

    /** Undefined when it is refused; else how its start went. */
    async function create(
      settings: Readonly<Record<string, unknown>>,
    ): Promise<string | undefined> {
      const { status, text } = await ask(createFunction, { ...base, ...settings });
      if (status !== 201) return undefined;
      const { FunctionName }: { FunctionName: string } = JSON.parse(text);
      return untilUpdated(FunctionName);
    }

    async function untilUpdated(FunctionName: string): Promise<string> {
      return until(
        async () => {
          const response = await fetch(
            `${server.url}/2015-03-31/functions/${FunctionName}/configuration`,
          );
          const text = await response.text();
          for (const path of [data, folder, rootFolder]) assert.ok(!text.includes(path), text);
          const { State, LastUpdateStatus }: Record<string, string> = JSON.parse(text);
          if (State === 'Pending' || LastUpdateStatus === 'InProgress') return undefined;
          return LastUpdateStatus === 'Failed' ? 'Failed' : State;
        },
        { seconds: 60 },
      );
    }

    async function remove(FunctionName: string): Promise<void> {
      await fetch(`${server.url}/2015-03-31/functions/${FunctionName}`, { method: 'DELETE' });
    }

    /** What a function answers; undefined when it is not invoked, or fails. */
    async function answerOf(FunctionName: string, event: object): Promise<string | undefined> {
      const Payload = JSON.stringify(event);
      const { status, text, headers } = await ask(invoke, { FunctionName, Payload });
      return status === 200 && !headers.has('x-amz-function-error') ? text : undefined;
    }

    async function look(FunctionName: string): Promise<Look> {
      // A busy host may need more than the function's timeout for its start.
      const seen = (await lookIfItRuns(FunctionName)) ?? (await lookIfItRuns(FunctionName));
      assert.ok(seen, `${FunctionName} does not run`);
      return seen;
    }

    /** What a function's program sees, which must be no more than it should. */
    async function lookIfItRuns(FunctionName: string): Promise<Look | undefined> {
      const files = ['functions/service-key', 'hob.sqlite'].map((file) => join(data, file));
      const others = ['/root', '/home', '/boot', '/srv', '/etc/hostname', '/sys'];
      const closed = [
        ...files,
        '/etc/shadow',
        ...['environ', 'mem'].map(ofServer),
        ...(await sockets()),
      ];
      const paths = [data, folder, rootFolder, ...closed, ...others];
      const { port } = addressOf(host);
      const { port: basePort } = new URL(server.url);
      const event = {
        do: 'look',
        paths: Buffer.from(paths.join('\n')).toString('hex'),
        pids: `${process.pid},${server.pid}`,
        ports: `${port},${basePort}`,
      };
      const response = await answerOf(FunctionName, event);
      if (response === undefined) return undefined;
      const seen = readLook(response);
      assert.equal(seen.capabilities, '0000000000000000');
      assert.equal(seen.privileges, '1');
      if (tier === 'bare') return seen;
      assert.deepEqual(
        seen.readable.filter((path) => closed.includes(path)),
        [],
      );
      assert.deepEqual(seen.signalled, []);
      // Those of its own environment, which have a folder of their own.
      assert.ok(
        new Set(seen.answering.map((path) => dirname(path))).size < 2,
        seen.answering.join(),
      );
      if (!isIsolated()) return seen;
      assert.deepEqual([seen.seen, seen.signalled, seen.writable], [[], [], []]);
      // The server answers at the base URL, inside.
      assert.deepEqual(seen.connected, [basePort]);
      assert.deepEqual(seen.interfaces, ['lo']);
      for (const text of [
        ...seen.sockets,
        ...seen.peers,
        ...seen.groups,
        ...Object.values(seen.variables),
      ]) {
        for (const path of [data, folder, rootFolder]) assert.ok(!text.includes(path), text);
      }
      const named = seen.groups.filter((path) => path.includes('hob'));
      if (tier === 'full') assert.deepEqual(named, []);
      return seen;
    }

    /** One function of these settings, created, checked from inside, and deleted; false when they are refused. */
    async function tried(members: HostileInput['members']): Promise<boolean> {
      created += 1;
      const FunctionName = `hostile-${created}`;
      const state = await create({ FunctionName, ...members });
      if (state === undefined) return false;
      const settings = members['FunctionName'];
      const named =
        (typeof settings === 'string' ? settings.split(':').at(-1) : undefined) ?? FunctionName;
      const seen = state === 'Active' ? await lookIfItRuns(named) : undefined;
      if (seen) {
        ran += 1;
        const where = JSON.stringify(members).slice(0, 1000);
        const own = mountPathsOf(members);
        // Its mounts are below it.
        const root = seen.root.filter((entry) => entry !== 'mnt' || own.length === 0);
        assert.deepEqual(root, usual.root, where);
        // Elsewhere it sees those of the host, which come and go.
        if (isIsolated()) assert.equal(seen.processes, usual.processes, where);
        assert.deepEqual(
          seen.mounts.filter((path) => !own.includes(path)),
          usual.mounts,
          where,
        );
        if ('Handler' in members) assert.equal(seen.variables['_HANDLER'], members['Handler']);
        const { Variables = {} } = variablesOf(members);
        const value = Variables['KEY'] ?? '';
        // Where nothing is mounted, paths of the sandbox become those of the host.
        if (isIsolated() || !JSON.stringify(value).includes('/tmp')) {
          assert.equal(seen.variables['KEY'] ?? '', value, where);
        }
      }
      await remove(named);
      return true;
    }

    test('settings: refused, or no way out', async (context) => {
      await create({ FunctionName: 'updated' });
      const inputs = hostileInputs(updateFunctionConfiguration, examples).filter(
        ({ path }) => path !== 'FunctionName',
      );
      const fitting = new Map<string, HostileInput['members'][]>();
      for (const { path, members } of inputs) {
        // What a function could have is refused for its revision alone.
        const settings = { FunctionName: 'updated', RevisionId: 'no such', ...members };
        const { status } = await ask(updateFunctionConfiguration, settings);
        assert.ok(status >= 400 || path === 'RevisionId', path);
        const [member = ''] = Object.keys(members);
        if (status === 412) fitting.set(member, [...(fitting.get(member) ?? []), members]);
      }
      assert.equal(await untilUpdated('updated'), 'Active');
      await look('updated');
      fitting.delete('RevisionId');
      // For images only, which are made below.
      fitting.delete('ImageConfig');
      const apart = alone.flatMap((member) => fitting.get(member) ?? []);
      for (const member of alone) fitting.delete(member);
      const rounds = Math.max(...[...fitting.values()].map(({ length }) => length));
      const together = Array.from({ length: rounds }, (_, index) => {
        const chosen = [...fitting.values()].map((values) => values[index] ?? {});
        return chosen.reduce((all, one) => ({ ...all, ...one }), {});
      });
      await inTurns([...apart, ...together], 6, async (members) => {
        await tried(members);
      });
      context.diagnostic(
        `${inputs.length} values, ${together.length} together, ${apart.length} apart, ${ran} programs checked`,
      );
      assert.ok(ran >= together.length, `${ran} of ${together.length} ran`);
    });

    test('settings of a new function: refused, or no way out', async () => {
      const ofUpdates = new Set(Object.keys(updateFunctionConfiguration.input.members));
      const inputs = hostileInputs(createFunction, examples).filter(
        ({ path, members }) =>
          path === 'FunctionName' || !Object.keys(members).every((each) => ofUpdates.has(each)),
      );
      // Most texts can be tags, and parts of where code is that is given anyway; no program sees them.
      const few = inputs.filter(({ path }, index) => !/^(Tags|Code)/.test(path) || index % 8 === 0);
      await inTurns(few, 6, async ({ members }) => {
        await tried(members);
      });
    });

    test('settings of an image’s program: refused, or no way out', async (context) => {
      if (!images || !isIsolated())
        return context.skip('no image of perl, or nothing to mount it with');
      // All of these texts are tried in `functions/launcher/hostile-values.scenario.test.ts`.
      const inputs = hostileInputs(createFunction, examples).filter(
        ({ path }, index) => path.startsWith('ImageConfig') && index % 4 === 0,
      );
      const args = ['-x', '--', '$(id)', 'two\nlines', "it's", '\\', 'é\u{1F980}'];
      const good = { EntryPoint: ['/usr/bin/perl', '/entry'], Command: args };
      // More than the kernel takes as one argument.
      const tooLong = { ...good, Command: ['x'.repeat(200_000)] };
      const whole = [good, tooLong].map((value) => {
        return { path: 'ImageConfig', value, members: { ImageConfig: value } };
      });
      const all: HostileInput[] = [...inputs, ...whole];
      await inTurns(all, 4, async ({ path, value, members }) => {
        created += 1;
        const FunctionName = `pictured-${created}`;
        const image = {
          PackageType: 'Image',
          Code: { ImageUri: 'perl:latest' },
          Runtime: undefined,
          Handler: undefined,
        };
        const state = await create({ FunctionName, ...image, ...members });
        const seen = state === 'Active' ? await lookIfItRuns(FunctionName) : undefined;
        const others = seen?.root.filter((each) => !inImage.includes(each)) ?? [];
        assert.deepEqual(others, [], path);
        if (value === good) assert.deepEqual(seen?.words.slice(1), args);
        if (value === tooLong) assert.equal(seen, undefined);
        await remove(FunctionName);
      });
    });

    test('of invocations: refused, or handed on as one value', async () => {
      const known = usual.head
        .toLowerCase()
        .split('\r\n')
        .map((line) => line.split(':')[0] ?? '');
      for (const operation of [invoke, invokeWithResponseStream]) {
        for (const { path, members } of some(hostileInputs(operation, {}))) {
          if (path === 'FunctionName' || !isSendable(operation, members)) continue;
          const settings = path === 'ClientContext' ? [members, inBase64(members)] : [members];
          for (const variant of settings) {
            const input = { FunctionName: 'looking', Payload: '{"do":"look"}', ...variant };
            const { status, text } = await ask(operation, input);
            if (status !== 200 || !text.startsWith('{"words"')) continue;
            const { head } = readLook(text);
            const names = head
              .toLowerCase()
              .split('\r\n')
              .filter(Boolean)
              .map((line) => line.split(':')[0] ?? '');
            const more = [
              'lambda-runtime-client-context',
              'lambda-runtime-aws-tenant-id',
              'lambda-runtime-cognito-identity',
            ];
            assert.deepEqual(
              names.filter((each) => !known.includes(each) && !more.includes(each)),
              [],
              path,
            );
          }
        }
      }
      await look('looking');
    });

    test('at the Runtime API, the Extensions API and the Telemetry API: refused', async () => {
      await onSeveral('sending', {}, some(hostileRequests()), async (FunctionName, request) => {
        const sent = await answerOf(FunctionName, { do: 'send', bytes: hexadecimal(request) });
        const response: unknown = JSON.parse(sent ?? '""');
        const heard = textOf(String(response));
        const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) =>
          Number(status),
        );
        assert.ok(
          statuses.every((status) => status < 500),
          `${request.slice(0, 200)}: ${heard.slice(0, 300)}`,
        );
        for (const path of [data, folder, rootFolder]) assert.ok(!heard.includes(path), heard);
      });
      if (isIsolated()) assert.equal(reached, 0);
    });

    test('in responses of programs: handed on, or failures of the function', async () => {
      const Timeout = 2;
      await onSeveral('answering', { Timeout }, some(hostileResponses), async (named, request) => {
        const event = JSON.stringify({ do: 'answer', bytes: hexadecimal(request) });
        for (const operation of [invoke, invokeWithResponseStream]) {
          const { headers } = await ask(operation, { FunctionName: named, Payload: event });
          assert.equal(headers.get('x-injected'), null, request.slice(0, 200));
          assert.equal(headers.get('set-cookie'), null, request.slice(0, 200));
        }
      });
    });

    test('at function URLs, in requests: refused, or handed on as one event', async () => {
      const { path } = await urlOf('asked', {});
      for (const head of some(urlRequests(path))) {
        const { statuses, text } = await exchanged(addressOfServer(), head);
        // A server that is no proxy closes the connection of a CONNECT.
        const isAnswered = statuses.length > 0 || head.startsWith('CONNECT');
        assert.ok(
          isAnswered && statuses.every((status) => status < 500),
          `${JSON.stringify(head.slice(0, 300))}: ${text.slice(0, 300)}`,
        );
        for (const each of [data, folder, rootFolder]) assert.ok(!text.includes(each), text);
      }
      await look('asked');
    });

    test('at function URLs, in responses: one response each, or a failure of the function', async () => {
      for (const InvokeMode of ['BUFFERED', 'RESPONSE_STREAM']) {
        const { path } = await urlOf(`answers-${InvokeMode}`, { InvokeMode });
        for (const bytes of some(urlResponses())) {
          for (const method of ['GET', 'HEAD']) {
            const query = `do=answer&bytes=${hexadecimal(bytes)}`;
            const next = 'GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
            const { statuses, text } = await exchanged(
              addressOfServer(),
              `${method} ${path}?${query} HTTP/1.1\r\nHost: x\r\n\r\n${next}`,
            );
            const where = `${JSON.stringify(bytes.slice(0, 300))}: ${text.slice(0, 500)}`;
            if (InvokeMode === 'RESPONSE_STREAM' && bytes.includes('Function-Error-Type')) {
              // The connection ends without the end of the response, and the next request is not answered.
              assert.ok(statuses.length < 2 && !text.endsWith('0\r\n\r\n'), where);
              continue;
            }
            assert.ok(statuses.length === 2 && statuses[0] !== 500 && statuses[1] === 200, where);
            assert.doesNotMatch(text, /^(x-injected|set-cookie):/im, where);
          }
        }
        await look(`answers-${InvokeMode}`);
      }
    });

    test('in reports of failed starts: reported, and nothing else', async () => {
      await inTurns(hostileStarts, 4, async (request) => {
        created += 1;
        const FunctionName = `starting-${created}`;
        const Environment = { Variables: { START_BYTES: hexadecimal(request) } };
        await create({ FunctionName, Environment });
        // It is there, and its invocations report why it does not start.
        assert.equal(await answerOf(FunctionName, {}), undefined, request.slice(0, 200));
        await remove(FunctionName);
      });
    });

    test('in layers and names of extensions: refused, or no way out', async () => {
      for (const { members } of hostileInputs(publishLayerVersion, {})) {
        if (!isSendable(publishLayerVersion, members)) continue;
        const Content = { ZipFile: zipOf({ x: '' }) };
        await ask(publishLayerVersion, { LayerName: 'hostile', Content, ...members });
      }
      for (const file of [
        '-x',
        '--share-net',
        'two\nlines',
        '$(id)',
        "it's",
        'é\u{1F980}',
        '...',
      ]) {
        const files = {
          [`extensions/${file}`]: { content: extension, mode: 0o755 },
          subscriptions: subscriptions(addressOf(host).port).join('\n'),
        };
        const Content = { ZipFile: zipOf(files) };
        const { status, text } = await ask(publishLayerVersion, { LayerName: 'extended', Content });
        if (status !== 201) continue;
        const { LayerVersionArn }: { LayerVersionArn: string } = JSON.parse(text);
        created += 1;
        const FunctionName = `extended-${created}`;
        await create({ FunctionName, Layers: [LayerVersionArn] });
        // A line break cannot stand in the header that it registers with.
        const runs = (await lookIfItRuns(FunctionName)) !== undefined;
        assert.equal(runs, file !== 'two\nlines', file);
        await remove(FunctionName);
      }
      if (isIsolated()) assert.equal(reached, 0);
    });
  });
}

/** At the root of the image, and what every sandbox has there. */
const inImage = ['bin', 'dev', 'entry', 'etc', 'lib', 'lib64', 'proc', 'tmp', 'usr', 'work'];

const base = {
  Role: role,
  Runtime: 'provided.al2023',
  Handler: 'usual',
  MemorySize: 256,
  Code: { ZipFile: zipOf({ bootstrap: { content: lookProgram, mode: 0o755 } }) },
};

/** What required members have next to a hostile value. */
const examples = {
  VpcConfig: { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] },
  'FileSystemConfigs[]': { Arn: accessPoint, LocalMountPath: '/mnt/data' },
  EphemeralStorage: { Size: 512 },
  LoggingConfig: { LogFormat: 'JSON' },
  Code: base.Code,
};

/** Registers by the name that it was started by, and waits. */
const extension = `#!/usr/bin/perl
use strict;
use IO::Socket::INET;
my ($name) = $0 =~ m{([^/]+)$};
my $socket = IO::Socket::INET->new(PeerAddr => $ENV{AWS_LAMBDA_RUNTIME_API}) or die;
print $socket "POST /2020-01-01/extension/register HTTP/1.1\\r\\nHost: x\\r\\nLambda-Extension-Name: $name\\r\\nContent-Length: 13\\r\\n\\r\\n{\\"events\\":[]}";
my ($id, $length);
while (my $line = <$socket>) {
  $id = $1 if $line =~ /^lambda-extension-identifier: *(\\S+)/i;
  $length = $1 if $line =~ /^content-length: *(\\d+)/i;
  last if $line eq "\\r\\n";
}
exit 4 if !$id;
read($socket, my $body, $length);
if (open(my $subscriptions, '<', '/opt/subscriptions')) {
  for my $given (<$subscriptions>) {
    chomp $given;
    my $asking = IO::Socket::INET->new(PeerAddr => $ENV{AWS_LAMBDA_RUNTIME_API}) or die;
    my $size = length $given;
    print $asking "PUT /2022-07-01/telemetry HTTP/1.1\\r\\nHost: x\\r\\nLambda-Extension-Identifier: $id\\r\\nConnection: close\\r\\nContent-Length: $size\\r\\n\\r\\n$given";
    1 while <$asking>;
  }
}
print $socket "GET /2020-01-01/extension/event/next HTTP/1.1\\r\\nHost: x\\r\\nLambda-Extension-Identifier: $id\\r\\n\\r\\n";
while (<$socket>) {}
`;

/** Settings that go with few others. */
const alone = ['Runtime', 'SnapStart', 'CapacityProviderConfig', 'DurableConfig'];

function variablesOf(members: HostileInput['members']): {
  readonly Variables?: Readonly<Record<string, unknown>>;
} {
  const { Environment } = members;
  return typeof Environment === 'object' && Environment !== null ? { ...Environment } : {};
}

function mountPathsOf({ FileSystemConfigs }: HostileInput['members']): readonly unknown[] {
  if (!Array.isArray(FileSystemConfigs)) return [];
  return FileSystemConfigs.map((mount: unknown) => Object(mount).LocalMountPath);
}

/** Whether a process of no user in particular can run this program from here. */
function canBeNobody(): boolean {
  // The socket of the tests' PostgreSQL is closed to others.
  return testPostgresUrl === undefined && runsHere({ user: nobody });
}

function canHideTools(): boolean {
  // What weaker tiers do does not depend on the database.
  return testPostgresUrl === undefined && runsHere({ without: ['bwrap', 'unshare'] });
}

function runsHere(how: Variant): boolean {
  if (process.getuid?.() !== 0) return false;
  const check = [process.execPath, '--check', join(rootFolder, 'hob.ts')] as const;
  const [command, ...args] = commandOnHost(check, how);
  return spawnSync(command, args).status === 0;
}

/** Sends bytes to the server and returns what came back until it closed, with the status of each response. */
async function exchanged(
  port: number,
  bytes: string,
): Promise<{ readonly statuses: readonly number[]; readonly text: string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += String(piece);
  });
  // What has come until then counts, after a reset as well as of a server that does not close.
  socket.on('error', () => {});
  socket.setTimeout(30_000, () => socket.destroy());
  socket.write(Buffer.from(bytes, 'latin1'));
  await once(socket, 'close');
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { statuses, text };
}

async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await action(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Headers carry no line ends, and paths no lone surrogates. */
function isSendable({ input }: Operation, members: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(members).every(([name, value]) => {
    const where = input.members[name]?.location.in;
    // oxlint-disable-next-line no-control-regex -- control characters are searched
    if (where === 'header') return /^[\t -~\u00a0-\u00ff]*$/.test(String(value));
    return where === 'body' || String(value).isWellFormed();
  });
}

function inBase64(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(members).map(([name, value]) => {
    const text = `${String(value)}\r\nX-Injected: yes\r\n\r\n`;
    return [name, Buffer.from(text).toString('base64')] as const;
  });
  return Object.fromEntries(entries);
}

function hexadecimal(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  return address;
}

/** An image of the host's perl with the program that looks around; false where perl is not as Debian has it. */
async function writePerlImage(layouts: string): Promise<boolean> {
  await mkdir(layouts, { mode: 0o755 });
  try {
    const { stdout } = await run('/usr/bin/ldd', [perl ?? '']);
    const libraries = stdout.match(/\/\S+/g) ?? [];
    const [triplet] = (await readdir('/usr/lib')).filter((each) => each.endsWith('-linux-gnu'));
    const modules = `/usr/lib/${triplet}/perl-base`;
    const names = await readdir(modules, { recursive: true, withFileTypes: true });
    const files = names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const items = await Promise.all(
      [perl ?? '', ...libraries, ...files].map(async (path): Promise<TarItem> => ({
        name: path.slice(1),
        content: await readFile(path),
        mode: 0o755,
      })),
    );
    await writeImageLayout(join(layouts, 'perl'), 'latest', {
      layers: [
        items,
        [
          // What starts a program without bubblewrap.
          { name: 'bin/sh', content: await readFile('/bin/sh'), mode: 0o755 },
          { name: 'entry', content: lookProgram, mode: 0o755 },
          { name: 'work/', mode: 0o755 },
        ],
      ],
      config: { Entrypoint: ['/usr/bin/perl', '/entry'], WorkingDir: '/work' },
    });
    return true;
  } catch {
    return false;
  }
}
