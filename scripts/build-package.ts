/**
 * Makes what `npm pack` packs: the program in `dist/hob`, bundled with the packages that it needs, because a start spends most of its
 * time on loading hundreds of modules. Files that are read when the program runs keep their paths; programs of their own, which the
 * server starts by path, are there a file that imports the bundled one.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { type CodeSplittingGroup, type OutputChunk, type Plugin, rolldown } from 'rolldown';

import { makeEmptyDatabase } from '#platform/database/empty-database.ts';

import { run } from './build-tools.ts';
import { changedForStart } from './package-changes.ts';
import { projectFolder } from './test-parts.ts';

const target = join(projectFolder, 'dist', 'hob');
const folders =
  'cli,commands,deployment,forge,functions,functions-contract,migrations,platform,settings,web';

/**
 * A start loads the server in two steps (commands/serve/serve.ts). Each is one file, because every file costs a start time; so is what
 * `start-hob` shares with it, which a test loads as well.
 */
const steps: readonly CodeSplittingGroup[] = [
  {
    name: 'shared',
    test: /\/(?:settings\/settings|platform\/child-process|platform\/random)\.ts$/,
    priority: 3,
  },
  { name: 'serve', test: /\/commands\/serve\/command\.ts$/, priority: 2 },
  {
    name: 'services',
    test: /\/commands\/serve\/(?:start-services|test-controls\/controlled-services)\.ts$/,
    priority: 1,
  },
];

/** Programs that the server starts by their paths, and the names of their files. */
const programs = {
  'git-process': 'forge/git/process/git-process.ts',
  'launcher-process': 'functions/launcher/supervisor/launcher-process.ts',
  'highlight-worker': 'web/highlight-worker.ts',
  'markdown-worker': 'forge/http/markdown-worker.ts',
  'namespace-worker': 'functions/launcher/network/namespace-worker.ts',
  'template-worker': 'functions/push-deployments/template-worker.ts',
};

rmSync(target, { recursive: true, force: true });
const bundles = await bundled({ hob: 'hob.ts', 'start-hob': 'start-hob.ts' }, steps);
for (const [name, path] of Object.entries(programs)) {
  // Apart from the server, of which they would load more than they need.
  bundles.push(...(await bundled({ [name]: path }, [])));
  const file = join(target, path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `import '${relative(dirname(file), join(target, name))}.js';\n`);
}
const copied = [
  'bin.cjs',
  ...globSync(`{${folders}}/**/*.{cjs,mjs,py,css,svg,sql,txt}`, { cwd: projectFolder }),
];
for (const path of copied.filter((name) => !/(^|\/)testing\//.test(name))) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(join(projectFolder, path), join(target, path));
}
await makeEmptyDatabase(join(target, 'migrations'));
writeFileSync(join(target, 'package.json'), `${JSON.stringify(ownPackage(), undefined, 2)}\n`);
writeFileSync(join(target, 'LICENSES'), licensesOf(bundles));
writeTypes();

async function bundled(
  entries: Readonly<Record<string, string>>,
  groups: readonly CodeSplittingGroup[],
): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    cwd: projectFolder,
    input: Object.fromEntries(
      Object.entries(entries).map(([name, path]) => [name, join(projectFolder, path)]),
    ),
    platform: 'node',
    // It loads files by their folder, and compiled modules where there are any. npm installs it next to this package.
    external: ['ssh2'],
    // Its paths are for the type checker alone.
    tsconfig: false,
    plugins: [sourceFolders(), changedForStart()],
  });
  // All in one folder, so that the folder of each is the one of the program.
  const { output } = await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Node decodes such a file in half the time, and stores it in half the memory.
    charset: 'ascii',
    comments: false,
    codeSplitting: { groups: [...groups] },
  });
  return output.filter((file) => file.type === 'chunk');
}

/** Has modules read files from where they are in the source, not from where their code is in the bundle. */
function sourceFolders(): Plugin {
  return {
    name: 'folders of the source',
    transform(code, id) {
      const path = relative(projectFolder, id);
      if (path.startsWith('node_modules') || !code.includes('import.meta.')) return null;
      return code
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(path)}')`)
        .replaceAll(
          /new URL\(([^()]+), import\.meta\.url\)/g,
          (_whole, file: string) =>
            `new URL(${file.replace(/\.ts(?=.$)/, '.js')}, new URL('./${path}', import.meta.url))`,
        );
    },
  };
}

function ownPackage(): object {
  const text = readFileSync(join(projectFolder, 'package.json'), 'utf8');
  const { name, version, type } = JSON.parse(text);
  return { name, version, type };
}

/** The licenses of the packages in the bundle, which they require to be passed on. */
function licensesOf(chunks: readonly OutputChunk[]): string {
  const packages = new Set(
    chunks
      .flatMap(({ moduleIds }) => moduleIds)
      .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []),
  );
  return [...packages]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      const [file] = globSync('{LICENSE,LICENCE,License,license}*', { cwd: folder });
      const text = file === undefined ? String(license) : readFileSync(join(folder, file), 'utf8');
      return `${name} ${version}\n\n${text.trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Only of what tests import. */
function writeTypes(): void {
  const made = join(target, 'types');
  run(process.execPath, [
    join(projectFolder, 'node_modules/typescript/bin/tsc'),
    '--declaration',
    '--emitDeclarationOnly',
    '--noEmit',
    'false',
    '--project',
    join(projectFolder, 'scripts/package-types.json'),
    '--outDir',
    made,
  ]);
  cpSync(join(made, 'start-hob.d.ts'), join(target, 'start-hob.d.ts'));
  rmSync(made, { recursive: true });
}
