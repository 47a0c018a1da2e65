import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { parse, parseAllDocuments } from 'yaml';

import { createMetrics } from '../commands/serve/observation/metrics.ts';
import { settingsHelp } from '#settings/settings.ts';
import { projectFolder } from './test-parts.ts';

const deploy = join(projectFolder, 'deploy');
const paths = globSync('**/*', { cwd: deploy, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const read = (...path: readonly string[]): string => readFileSync(join(deploy, ...path), 'utf8');

/** Every document of a YAML file, without its types. */
// oxlint-disable-next-line typescript/no-explicit-any -- files of many forms
function documentsOf(...path: readonly string[]): any[] {
  return parseAllDocuments(read(...path)).map((document) => {
    assert.deepEqual(document.errors, [], path.join('/'));
    return document.toJS();
  });
}

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** Runs a program on a changed copy of a file. */
function check(
  program: string,
  path: string,
  text: string,
  args: (file: string) => string[],
): void {
  const folder = mkdtempSync(join(tmpdir(), 'hob-deployment-'));
  const file = join(folder, path);
  try {
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(program, args(file), { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the files of deployments', () => {
  it('name settings that exist', () => {
    const known = new Set(settingsHelp().match(/\b(?:HOB_[A-Z_]+|DATABASE_URL)\b/g));
    const documents = ['docs/operations.md', 'README.md'].map((path) => join(projectFolder, path));
    assert.ok(paths.length >= 9, 'the files are there');
    for (const path of [...paths, ...documents]) {
      for (const name of readFileSync(path, 'utf8').match(/\b(?:HOB_[A-Z_]+|DATABASE_URL)\b/g) ??
        []) {
        assert.ok(known.has(name), `${path} names ${name}, which is no setting`);
      }
    }
  });

  it('show and watch metrics that exist', async () => {
    const text = await createMetrics({
      now: () => 0,
      cache: { hits: 0, misses: 0 },
      git: () => ({ callsInProgress: 0, restarts: 0, isAvailable: true }),
      database: { retries: () => 0 },
      nodes: { live: () => [], owns: () => true, shards: () => [], lease: () => undefined },
      functions: {
        invocations: {
          inProgress: 0,
          ended: { succeeded: 0, failed: 0, throttled: 0, 'not-started': 0, lost: 0 },
        },
        environments: () => ({ now: { starting: 0, idle: 0, busy: 0, draining: 0 }, started: 0 }),
        queues: async () => [],
      },
      queues: async () => [],
    }).text();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const used = [read('prometheus', 'alerts.yaml'), read('grafana', 'dashboard.json')]
      .join('\n')
      .match(/\b(?:hob|nodejs|process)_[a-z0-9_]+/g);
    assert.ok(used && used.length > 20, 'metrics are used');
    for (const name of used) {
      assert.ok(known.has(name.replace(/_bucket$/, '')), `there is no metric ${name}`);
    }
  });

  it('have a dashboard whose panels have queries, and alerts that say something', () => {
    const { panels } = JSON.parse(read('grafana', 'dashboard.json'));
    assert.ok(panels.length >= 10);
    for (const { title, targets } of panels) assert.ok(targets[0].expr, title);
    const [{ groups }] = documentsOf('prometheus', 'alerts.yaml');
    for (const { alert, expr, labels, annotations } of groups[0].rules) {
      assert.ok(expr && annotations.summary, alert);
      assert.match(labels.severity, /^(?:page|ticket)$/, alert);
    }
    documentsOf('prometheus', 'prometheus.yaml');
  });

  it('have probes, ports and times that fit the server', () => {
    const [service, set] = documentsOf('kubernetes', 'hob.yaml');
    const { spec } = set.spec.template;
    const [container] = spec.containers;
    assert.equal(set.spec.replicas, 1, 'the repositories have one owner');
    assert.deepEqual(set.spec.selector.matchLabels, set.spec.template.metadata.labels);
    assert.deepEqual(service.spec.selector, set.spec.selector.matchLabels);
    assert.equal(service.spec.ports[0].targetPort, container.ports[0].name);
    assert.equal(container.ports[0].containerPort, 3000);
    assert.equal(container.readinessProbe.httpGet.path, '/readyz');
    assert.equal(container.livenessProbe.httpGet.path, '/healthz');
    assert.equal(spec.securityContext.runAsNonRoot, true);
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
    const [claim] = set.spec.volumeClaimTemplates;
    assert.ok(mounted.includes(claim.metadata.name), 'the data is on the volume');
    const delay = container.env.find(
      ({ name }: { name: string }) => name === 'HOB_STOP_DELAY_SECONDS',
    );
    // Requests under way have 20 seconds, environments 15.
    assert.ok(spec.terminationGracePeriodSeconds >= Number(delay.value) + 20 + 15);
    const [{ services }] = documentsOf('compose.yaml');
    const grace = Number.parseInt(services.hob.stop_grace_period, 10);
    assert.ok(grace >= Number(services.hob.environment.HOB_STOP_DELAY_SECONDS) + 20 + 15);
    assert.deepEqual(services.hob.ports, ['127.0.0.1:3000:3000'], 'only for a proxy on the host');
    for (const dependency of Object.keys(services.hob.depends_on)) {
      assert.ok(services[dependency], `there is no service ${dependency}`);
    }
  });

  it('have nodes of a cluster that share a folder and a database, and are reached one by one', () => {
    const compose = parse(read('cluster', 'compose.yaml'), { merge: true });
    const balanced = [...read('cluster', 'haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+)$/gm)];
    const nodes = Object.keys(compose.services).filter((name) => name.startsWith('node-'));
    assert.equal(nodes.length, 3);
    assert.deepEqual(
      balanced.map(([, name, address]) => [name, address]),
      nodes.map((name) => [name, `${name}:3000`]),
    );
    const owners = read('cluster', 'haproxy.cfg').matchAll(
      /^ {2}use-server (\S+) if \{ str\(([^)]+)\)/gm,
    );
    assert.deepEqual(
      [...owners].map(([, name, address]) => [name, address]),
      nodes.map((name) => [name, compose.services[name].environment.HOB_NODE_ADDRESS]),
    );
    const settings = nodes.map((name) => compose.services[name].environment);
    for (const [index, name] of nodes.entries()) {
      const { environment, volumes, stop_grace_period: grace } = compose.services[name];
      assert.equal(environment.HOB_NODE_ADDRESS, `${name}:3100`);
      assert.equal(environment.HOB_CLUSTER_DATA, '/cluster/hob');
      assert.equal(environment.DATABASE_URL, settings[0]?.DATABASE_URL);
      assert.deepEqual(volumes, [`node-${index + 1}:/data`, 'cluster:/cluster']);
      assert.ok(Number.parseInt(grace, 10) >= Number(environment.HOB_STOP_DELAY_SECONDS) + 20 + 15);
      for (const volume of volumes) {
        assert.ok(Object.hasOwn(compose.volumes, volume.replace(/:.*/, '')), volume);
      }
    }
    const documents = documentsOf('kubernetes', 'cluster.yaml');
    const of = (kind: string): typeof documents => documents.filter((each) => each.kind === kind);
    const [set] = of('StatefulSet');
    const { spec } = set.spec.template;
    const [container] = spec.containers;
    assert.equal(set.spec.replicas, 3);
    const headless = of('Service').find(({ spec: service }) => service.clusterIP === 'None');
    assert.equal(set.spec.serviceName, headless.metadata.name);
    assert.equal(headless.spec.publishNotReadyAddresses, true);
    const values = new Map(
      container.env.map(({ name, value }: { name: string; value?: string }) => [name, value]),
    );
    assert.equal(values.get('HOB_NODE_ADDRESS'), `$(POD_NAME).${headless.metadata.name}:3100`);
    const inCompose = Object.keys(settings[0]);
    assert.ok(inCompose.includes('HOB_REDIS_URL'));
    for (const name of inCompose) assert.ok(values.has(name), `cluster.yaml lacks ${name}`);
    const secrets = container.env.flatMap(
      ({ valueFrom }: { valueFrom?: { secretKeyRef?: { key: string } } }) =>
        valueFrom?.secretKeyRef?.key ?? [],
    );
    for (const { items = [] } of spec.volumes.flatMap(
      (volume: { secret?: object }) => volume.secret ?? [],
    ))
      secrets.push(...items.map(({ key }: { key: string }) => key));
    assert.deepEqual(
      [...read('kubernetes', 'cluster.yaml').matchAll(/--from-literal=([a-z-]+)=/g)]
        .map(([, name]) => name)
        .toSorted(),
      secrets.toSorted(),
      'the secret has what is read of it',
    );
    const [claim] = of('PersistentVolumeClaim');
    assert.deepEqual(claim.spec.accessModes, ['ReadWriteMany']);
    const claimed = spec.volumes.find(({ name }: { name: string }) => name === 'cluster');
    assert.equal(claimed.persistentVolumeClaim.claimName, claim.metadata.name);
    const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    assert.ok(mounts.includes('/cluster'));
    const [budget] = of('PodDisruptionBudget');
    assert.equal(budget.spec.maxUnavailable, 1);
    assert.match(read('Containerfile'), /install -d .* \/data \/cluster$/m);
  });

  it('run the container without root, on a data directory that Hob makes itself', () => {
    const text = read('Containerfile');
    const user = /^USER (\d+):\d+$/m.exec(text)?.[1];
    const [, set] = documentsOf('kubernetes', 'hob.yaml');
    assert.equal(Number(user), set.spec.template.spec.securityContext.runAsUser);
    assert.match(text, /HOB_DATA=\/data\/hob\b/);
    assert.match(text, /^VOLUME \/data$/m);
    assert.match(text, /^ENTRYPOINT \["\/opt\/hob\/hob"\]$/m);
  });

  const unit = 'hob.service';
  const noAnalyze = isInstalled('systemd-analyze') ? false : 'systemd-analyze is not installed';
  it('have a unit that systemd takes', { skip: noAnalyze }, () => {
    const text = read('systemd', unit).replaceAll('/opt/hob/hob', join(projectFolder, 'hob'));
    check('systemd-analyze', unit, text, (file) => ['verify', '--man=no', file]);
  });

  const noHaproxy = isInstalled('haproxy') ? false : 'haproxy is not installed';
  it('have configurations that HAProxy takes', { skip: noHaproxy }, () => {
    for (const folder of ['haproxy', 'cluster']) {
      const text = read(folder, 'haproxy.cfg').replace(/^ {2}bind .*$/m, '  bind 127.0.0.1:443');
      check('haproxy', 'haproxy.cfg', text, (file) => ['-c', '-f', file]);
    }
  });

  const composed = ['compose.yaml', 'cluster/compose.yaml'];
  it('have health checks that are lists of words', () => {
    for (const path of composed) {
      const { services } = parse(read(path), { merge: true });
      for (const [name, service] of Object.entries<{ healthcheck?: { test: unknown[] } }>(
        services,
      )) {
        for (const word of service.healthcheck?.test ?? [])
          assert.equal(typeof word, 'string', `${path}: ${name}: ${JSON.stringify(word)}`);
      }
    }
  });

  const noCompose = isInstalled('docker-compose') ? false : 'docker-compose is not installed';
  it('have services that Compose takes', { skip: noCompose }, () => {
    const variables = {
      HOB_BASE_URL: 'https://code.example.org',
      HOB_ADMIN_PASSWORD: 'unused',
      POSTGRES_PASSWORD: 'unused',
    };
    for (const path of composed) {
      const env = { ...process.env, ...variables };
      const args = ['-f', join(deploy, path), 'config', '--quiet'];
      const { status, stderr } = spawnSync('docker-compose', args, { env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    }
  });

  const noNginx =
    isInstalled('nginx') && isInstalled('openssl') ? false : 'nginx or openssl is not installed';
  it('have a configuration that nginx takes', { skip: noNginx }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'hob-nginx-'));
    try {
      const [key, certificate] = [join(folder, 'hob.key'), join(folder, 'hob.pem')];
      const request = [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-subj',
        '/CN=hob',
        '-days',
        '1',
      ];
      execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], {
        stdio: 'ignore',
      });
      const site = read('nginx', 'hob.conf')
        .replace('/etc/nginx/certs/hob.pem', certificate)
        .replace('/etc/nginx/certs/hob.key', key);
      // Its own folders are those of another user.
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};\n`)
        .join('');
      const text = `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}${site}}\n`;
      check('nginx', 'nginx.conf', text, (file) => ['-t', '-e', 'stderr', '-c', file]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
