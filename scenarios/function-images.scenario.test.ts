// Runs on SQLite alone: it shows how programs of images start.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import type { CreateFunctionCommandInput, ImageConfig } from '@aws-sdk/client-lambda';

import { writeImageLayout } from '#functions/code/testing/image-layout-of.ts';
import type { TarItem } from '#functions/code/testing/tar-of.ts';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { shellRuntime } from './shell-runtime.ts';
import { removeFolder } from './running-server.ts';

const run = promisify(execFile);

/** A function from an image, by AWS's own client: settings of the image, and settings of the function that replace them. */
describe('functions from images', () => {
  let folder: string;
  let service: FunctionService;
  let without: string | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-layouts-'));
    await chmod(folder, 0o755);
    const shell = await shellOfTheHost();
    without = shell === undefined ? 'this host has no bash to copy' : undefined;
    await writeImageLayout(join(folder, 'shell'), 'latest', {
      layers: [
        shell ?? [],
        [
          { name: 'entry', content: runtime, mode: 0o755 },
          { name: 'other', content: runtime, mode: 0o755 },
          { name: 'work/', mode: 0o755 },
          { name: 'elsewhere/', mode: 0o755 },
        ],
      ],
      config: {
        Entrypoint: ['/entry'],
        Cmd: ['app.handler'],
        WorkingDir: '/work',
        Env: ['WHO=image'],
      },
    });
    service = await startFunctionService({ HOB_IMAGES_FOLDER: folder });
    if (!['full', 'user'].includes(service.tier)) without = `tier "${service.tier}" has no images`;
  });
  after(async () => {
    await service.stop();
    await removeFolder(folder);
  });

  test('ImageConfig: entry point, command and working directory replace those of the image', async (context) => {
    if (without !== undefined) return context.skip(without);
    await service.create('pictured', {}, ofImage);
    const reported = async (): Promise<unknown> => (await service.invoke('pictured')).value;
    assert.equal(await reported(), '/entry app.handler in /work for image');

    await service.update('pictured', { ImageConfig: { Command: ['other.handler', '-v'] } });
    assert.equal(await reported(), '/entry other.handler -v in /work for image');

    // As a whole: the command of before is gone, and the image's is not for another entry point.
    const other = { EntryPoint: ['/other', 'one'], WorkingDirectory: '/elsewhere' };
    const changed = await service.update('pictured', { ImageConfig: other });
    assert.deepEqual(changed.ImageConfigResponse, { ImageConfig: other });
    assert.equal(await reported(), '/other one in /elsewhere for image');

    const broken: readonly [ImageConfig, code: string][] = [
      [{ EntryPoint: ['/none'] }, 'FunctionError.InvalidEntryPoint'],
      [{ WorkingDirectory: '/none' }, 'FunctionError.InvalidWorkingDirectory'],
    ];
    for (const [wrong, code] of broken) {
      const failed = await service.updateThatFails('pictured', { ImageConfig: wrong });
      assert.equal(failed.LastUpdateStatusReasonCode, code);
      assert.equal(await reported(), '/other one in /elsewhere for image');
    }

    await service.update('pictured', { ImageConfig: {} });
    assert.equal(await reported(), '/entry app.handler in /work for image');

    await service.update('pictured', { Environment: { Variables: { WHO: 'the function' } } });
    assert.equal(await reported(), '/entry app.handler in /work for the function');
  });
});

const ofImage: Partial<CreateFunctionCommandInput> = {
  Runtime: undefined,
  Handler: undefined,
  PackageType: 'Image',
  Code: { ImageUri: 'shell:latest' },
};

/** bash and the libraries that it is linked to, at their own paths; undefined where there is none. */
async function shellOfTheHost(): Promise<TarItem[] | undefined> {
  try {
    const { stdout } = await run('ldd', ['/bin/bash']);
    const libraries = stdout.match(/\/\S+/g) ?? [];
    const item = async (path: string): Promise<TarItem> => ({
      name: path.slice(1),
      content: await readFile(path),
      mode: 0o755,
    });
    return await Promise.all(['/bin/bash', ...libraries].map(item));
  } catch {
    return undefined;
  }
}

/** Answers every event with how it was started. */
const runtime = shellRuntime('"$0 $* in $PWD for $WHO"');
