import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { writeImageLayout, type ImageContent } from '../testing/image-layout-of.ts';
import { paxOf, type TarItem } from '../testing/tar-of.ts';
import { inTemporaryFolder, listed } from '../testing/temporary-folder.ts';
import { readImageUri } from './image-layout.ts';
import type { ImageRefused } from './image-documents.ts';
import { openImages, type Images, type UnpackedImage } from './images.ts';

const limits = { bytesMax: 1_000_000, entriesMax: 100 };
const uri = '123456789012.dkr.ecr.us-east-1.amazonaws.com/team/app:v1';

interface Setup {
  readonly folder: string;
  /** The operator's. */
  readonly layouts: string;
  readonly images: Images;
}

async function withImages(work: (setup: Setup) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const layouts = join(folder, 'layouts');
    const images = await openImages(join(folder, 'images'), layouts, limits);
    await work({ folder, layouts, images });
  });
}

async function use<T>(
  images: Images,
  work: (image: UnpackedImage) => Promise<T>,
): Promise<T | ImageRefused> {
  const resolved = await images.resolve(uri, 'x86_64');
  if (resolved.kind === 'refused') return resolved;
  const used = await images.use(resolved.resolvedUri, work);
  return used.kind === 'refused' ? used : used.result;
}

async function unpacked(content: ImageContent): Promise<Record<string, string> | ImageRefused> {
  let result: Record<string, string> | ImageRefused = {};
  await withImages(async ({ layouts, images }) => {
    await writeImageLayout(join(layouts, 'team/app'), 'v1', content);
    result = await use(images, ({ root }) => listed(root));
  });
  return result;
}

const layersOf = (...layers: (readonly TarItem[])[]): ImageContent => ({ layers });

describe('container images', () => {
  it('are refused without a folder, without a name, and when they are not there', async () => {
    await withImages(async ({ folder, layouts, images }) => {
      const none = await openImages(join(folder, 'none'), undefined);
      const codeOf = async (from: Images, text: string): Promise<string> => {
        const answer = await from.resolve(text, 'x86_64');
        return answer.kind === 'refused' ? answer.code : answer.kind;
      };
      assert.equal(await codeOf(none, uri), 'ImageAccessDenied');
      assert.equal(await codeOf(images, uri), 'ImageDeleted');
      await writeImageLayout(join(layouts, 'team/app'), 'v1', { layers: [] });
      assert.equal(await codeOf(images, uri), 'image');
      assert.equal(await codeOf(images, 'team/app:v2'), 'ImageDeleted');
      assert.equal(await codeOf(images, `team/app@sha256:${'0'.repeat(64)}`), 'ImageDeleted');
      for (const text of ['', '../team/app:v1', 'team/../app', '/etc', 'Team/App', 'app:', 'a b']) {
        assert.equal(await codeOf(images, text), 'InvalidImage', text);
      }
    });
  });

  it('are found by repository or in one layout, by tag, by digest, and by architecture', async () => {
    await withImages(async ({ layouts, images }) => {
      const one = await writeImageLayout(join(layouts, 'team/app'), 'v1', {
        layers: [],
        architecture: 'amd64',
      });
      const two = await writeImageLayout(layouts, 'other/app:v2', layersOf([{ name: 'a' }]));
      const found = async (text: string, architecture: 'x86_64' | 'arm64' = 'x86_64') => {
        const answer = await images.resolve(text, architecture);
        return answer.kind === 'image' ? answer.sha256 : answer.code;
      };
      assert.equal(await found(uri), one);
      assert.equal(await found('team/app:v1', 'arm64'), 'InvalidImage');
      assert.equal(await found(`team/app@sha256:${one}`), one);
      assert.equal(await found('other/app:v2'), two);
      assert.equal(await found('other/app:v1'), 'ImageDeleted');
      assert.deepEqual(await images.resolve('registry.example:5000/other/app:v2', 'x86_64'), {
        kind: 'image',
        sha256: two,
        resolvedUri: `registry.example:5000/other/app@sha256:${two}`,
      });
    });
  });

  for (const compression of ['none', 'gzip', 'zstd'] as const) {
    it(`are unpacked, compressed by ${compression}`, async () => {
      const text = 'abcdefghij'.repeat(20_000);
      const layers = [[{ name: 'usr/' }, { name: 'usr/large', content: text }]];
      assert.deepEqual(await unpacked({ layers, compression }), { usr: '/', 'usr/large': text });
    });
  }

  it('lay later layers over earlier ones, with what those hide', async () => {
    const result = await unpacked(
      layersOf(
        [
          { name: './etc/a', content: 'a' },
          { name: 'etc/b', content: 'b' },
          { name: 'var/old/x', content: 'x' },
          { name: 'gone/deep/x', content: 'x' },
          { name: 'kind', content: 'file' },
        ],
        [
          { name: 'etc/.wh.a' },
          { name: 'etc/b', content: 'new b' },
          { name: 'var/old/y', content: 'y' },
          { name: 'var/old/.wh..wh..opq' },
          { name: '.wh.gone' },
          { name: '.wh.never-was' },
          { name: '.wh.retained' },
          { name: 'retained', content: 'of this layer' },
          { name: '.wh.retained' },
          { name: 'kind/' },
        ],
      ),
    );
    assert.deepEqual(result, {
      etc: '/',
      'etc/b': 'new b',
      // Mount points of a sandbox.
      'etc/hosts': '',
      'etc/resolv.conf': '',
      var: '/',
      'var/old': '/',
      'var/old/y': 'y',
      retained: 'of this layer',
      kind: '/',
    });
  });

  it('follow links inside, as if the folder were the root', async () => {
    const result = await unpacked(
      layersOf(
        [
          { name: 'usr/bin/' },
          { name: 'bin', type: '2', target: 'usr/bin' },
          { name: 'abs', type: '2', target: '/usr/bin' },
          { name: 'up', type: '2', target: '../../../../usr/bin' },
          { name: 'out', type: '2', target: '/new/location' },
        ],
        [
          { name: 'bin/a', content: 'a' },
          { name: 'abs/b', content: 'b' },
          { name: 'up/c', content: 'c' },
          { name: 'out/d', content: 'd' },
          { name: 'usr/hard', type: '1', target: 'bin/a' },
        ],
      ),
    );
    assert.deepEqual(result, {
      usr: '/',
      'usr/bin': '/',
      bin: '-> usr/bin',
      abs: '-> /usr/bin',
      up: '-> ../../../../usr/bin',
      out: '-> /new/location',
      new: '/',
      'new/location': '/',
      'usr/bin/a': 'a',
      'usr/bin/b': 'b',
      'usr/bin/c': 'c',
      'new/location/d': 'd',
      'usr/hard': 'a',
    });
  });

  it('have long names, modes, times, and no devices', async () => {
    const long = `${'n'.repeat(120)}/${'m'.repeat(120)}`;
    await withImages(async ({ layouts, images }) => {
      const items: TarItem[] = [
        paxOf({ path: long, mtime: '1600000000.5', 'SCHILY.xattr.x': 'ü' }),
        { name: 'short', content: 'x', mode: 0o4751 },
        { name: '././@LongLink', type: 'L', content: `${'g'.repeat(150)}\0` },
        { name: 'short', content: 'y' },
        { name: 'dev/null', type: '3', mode: 0o666 },
        { name: 'closed/', mode: 0o000 },
      ];
      await writeImageLayout(join(layouts, 'team/app'), 'v1', { layers: [items] });
      await use(images, async ({ root }) => {
        const file = await stat(join(root, long));
        assert.equal(file.mode & 0o7777, 0o751);
        assert.equal(file.mtimeMs, 1_600_000_000_500);
        assert.equal((await stat(join(root, 'closed'))).mode & 0o7777, 0o700);
        assert.equal((await listed(root))['g'.repeat(150)], 'y');
        assert.equal((await listed(root))['dev/null'], undefined);
      });
    });
  });

  it('say how they are run', async () => {
    await withImages(async ({ layouts, images }) => {
      const config = {
        Entrypoint: ['/entry'],
        Cmd: ['app.handler'],
        WorkingDir: '/var/task',
        Env: ['A=1', 'B=x=y', 'bare'],
      };
      await writeImageLayout(join(layouts, 'team/app'), 'v1', { layers: [], config });
      assert.deepEqual(await use(images, async (image) => image.config), {
        entryPoint: ['/entry'],
        command: ['app.handler'],
        workingDirectory: '/var/task',
        environment: { A: '1', B: 'x=y' },
      });
    });
  });

  it('need their layout no more once they are unpacked', async () => {
    await withImages(async ({ layouts, images }) => {
      const sha256 = await writeImageLayout(join(layouts, 'team/app'), 'v1', { layers: [] });
      await use(images, listedRoot);
      await rm(layouts, { recursive: true });
      const resolvedUri = `team/app@sha256:${sha256}`;
      assert.equal((await images.use(resolvedUri, listedRoot)).kind, 'used');
      assert.equal(await images.prune(async () => new Set()), 0, 'it was used just now');
      assert.equal(await images.prune(async () => new Set()), 1);
      assert.equal((await images.use(resolvedUri, listedRoot)).kind, 'refused');
    });
  });

  const broken: Record<string, ImageContent> = {
    'a path that leads out': layersOf([{ name: '../out', content: 'x' }]),
    'a file in location of a folder': layersOf([
      { name: 'a', content: 'x' },
      { name: 'a/b', content: 'x' },
    ]),
    'a hard link to nothing': layersOf([{ name: 'a', type: '1', target: '/etc/passwd' }]),
    'links in a circle': layersOf([
      { name: 'a', type: '2', target: 'b' },
      { name: 'b', type: '2', target: 'a' },
      { name: 'a/c', content: 'x' },
    ]),
    'too much content': layersOf([{ name: 'a', content: Buffer.alloc(1_000_001) }]),
    'too many entries': layersOf(Array.from({ length: 101 }, (_, n) => ({ name: `f${n}` }))),
    'an unknown entry': layersOf([{ name: 'a', type: 'V' }]),
    'a sparse file': layersOf([{ name: 'a', type: 'S' }]),
    'a layer that ends too early': layersOf([{ name: 'a', size: 100_000 }]),
  };
  for (const [what, content] of Object.entries(broken)) {
    it(`are refused for ${what}, and leave nothing`, async () => {
      await withImages(async ({ folder, layouts, images }) => {
        await writeImageLayout(join(layouts, 'team/app'), 'v1', content);
        const result = await use(images, listedRoot);
        assert.ok('kind' in result && result.kind === 'refused');
        assert.equal(result['code'], 'InvalidImage');
        assert.deepEqual(await readdir(join(folder, 'images')), []);
      });
    });
  }

  it('are refused when a blob is not what its digest says, or is gone', async () => {
    const content = layersOf([{ name: 'a', content: 'a' }]);
    for (const [bytes, code] of [
      [Buffer.from('changed'), 'InvalidImage'],
      [undefined, 'ImageDeleted'],
    ] as const) {
      await withImages(async ({ layouts, images }) => {
        const layout = join(layouts, 'team/app');
        await writeImageLayout(layout, 'v1', content);
        const blobs = join(layout, 'blobs/sha256');
        const whole = await images.resolve(uri, 'x86_64');
        assert.equal(whole.kind, 'image');
        for (const blob of await readdir(blobs)) {
          const copy = await readFile(join(blobs, blob));
          if (bytes) await writeFile(join(blobs, blob), bytes);
          else await rm(join(blobs, blob));
          const result = await use(images, listedRoot);
          assert.ok('kind' in result && result.kind === 'refused', blob);
          assert.equal(result['code'], code);
          await writeFile(join(blobs, blob), copy);
        }
        assert.deepEqual(await use(images, listedRoot), { a: 'a' });
      });
    }
  });

  it('are refused when the documents are not what they should be', async () => {
    await withImages(async ({ layouts, images }) => {
      await mkdir(join(layouts, 'team/app'), { recursive: true });
      for (const text of ['', '[]', '{}', '{"manifests":[1]}', '{"manifests":[{"digest":"x"}]}']) {
        await writeFile(join(layouts, 'team/app/index.json'), text);
        const answer = await images.resolve(uri, 'x86_64');
        assert.equal(answer.kind === 'refused' && answer.code, 'InvalidImage', text);
      }
    });
  });

  it('never write outside, whatever is in their layers', async () => {
    const name = fc
      .array(fc.constantFrom('..', '.', 'a', 'b', 'c', '.wh.a', '.wh..wh..opq'), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.join('/'));
    const target = fc
      .tuple(fc.constantFrom('', '/', '../../'), name)
      .map((parts) => parts.join(''));
    const type = fc.constantFrom('0', '1', '2', '5');
    const item = fc.record({ name, type, target, content: fc.constant('') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(item, { maxLength: 5 }), { maxLength: 3 }),
        async (layers) => {
          await withImages(async ({ folder, layouts, images }) => {
            await writeImageLayout(join(layouts, 'team/app'), 'v1', { layers });
            await use(images, async () => ({}));
            assert.deepEqual((await readdir(folder)).toSorted(), ['images', 'layouts']);
            const made = await readdir(join(folder, 'images'));
            assert.ok(
              made.every((one) => /^[0-9a-f]{64}$/.test(one)),
              made.join(),
            );
            for (const one of made) {
              const inside = await readdir(join(folder, 'images', one));
              assert.deepEqual(inside.toSorted(), ['config.json', 'root']);
            }
          });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('are named by registry, repository, tag and digest', () => {
    assert.deepEqual(readImageUri(uri), {
      name: '123456789012.dkr.ecr.us-east-1.amazonaws.com/team/app',
      repository: 'team/app',
      tag: 'v1',
      sha256: undefined,
    });
    assert.equal(readImageUri('localhost/app')?.repository, 'app');
    assert.equal(readImageUri('app')?.tag, 'latest');
  });
});

const listedRoot = ({ root }: UnpackedImage): Promise<Record<string, string>> => listed(root);
