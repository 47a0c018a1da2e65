/**
 * Makes what `npm pack` packs: the program in `dist/hob`, its types removed file by file, because Node removes none of files below
 * `node_modules`. Imports by `#` go by the package.json that is made there.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

import { run } from './build-tools.ts';
import { projectFolder } from './test-parts.ts';

const target = join(projectFolder, 'dist', 'hob');
const folders =
  'cli,commands,deployment,forge,functions,functions-contract,migrations,platform,settings,web';
const files = [
  'bin.cjs',
  'hob.ts',
  'program-files.ts',
  'start-hob.ts',
  ...globSync(`{${folders}}/**/*.{ts,cjs,mjs,py,css,svg,sql}`, { cwd: projectFolder }),
].filter((path) => !/\.test\.ts$|(^|\/)testing\//.test(path));

rmSync(target, { recursive: true, force: true });
for (const path of files) {
  const from = join(projectFolder, path);
  const to = join(target, path);
  mkdirSync(dirname(to), { recursive: true });
  if (path.endsWith('.ts')) {
    writeFileSync(to.replace(/\.ts$/, '.js'), compiled(readFileSync(from, 'utf8')));
  } else cpSync(from, to);
}
writeFileSync(join(target, 'package.json'), `${JSON.stringify(ownPackage(), undefined, 2)}\n`);
writeTypes();

/** Lines stay where they are, so that stacks fit the source. */
function compiled(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(
    /(\bfrom |\bimport |\bimport\(|\bnew URL\()'([^']+)\.ts'/g,
    (_whole, before: string, path: string) => `${before}'${path}.js'`,
  );
}

function ownPackage(): object {
  const text = readFileSync(join(projectFolder, 'package.json'), 'utf8');
  const { name, version, type, imports } = JSON.parse(text);
  return { name, version, type, imports };
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
