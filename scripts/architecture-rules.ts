import { posix } from 'node:path';

import { uninvalidatedWrites } from './invalidation-rule.ts';
import { isRouteFile, layerProblems } from './layers.ts';
import { linesMax, linesOf } from './file-length.ts';
import { foreignAwaits } from './read-rule.ts';

/** What is wrong with a file, one sentence each; `path` is relative to the project. */
export function architectureProblems(path: string, text: string): string[] {
  const file: SourceFile = { path, text, imports: importsOf(path, text), test: isTest(path) };
  return rules.flatMap((rule) => rule(file).map((problem) => `${path}: ${problem}`));
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files of ours, relative to the project. */
  readonly imports: readonly string[];
  /** Tests and what only tests use. */
  readonly test: boolean;
}

type Rule = (file: SourceFile) => string[];

const rules: readonly Rule[] = [
  function importDirections({ path, imports, test }) {
    return imports.flatMap((target) => {
      const refused = forbiddenImports.find(
        (rule) => rule.from.test(path) && rule.to.test(target) && !rule.except?.test(target),
      );
      return refused && !(test && refused.testsMay) ? [`imports ${target}: ${refused.reason}`] : [];
    });
  },

  function lowerLayersOnly({ path, imports, test }) {
    return test ? [] : layerProblems(path, imports);
  },

  function endpointsOnlyInRoutes({ path, imports, test }) {
    if (test || !/^(forge|functions)\//.test(path) || /(^|\/)routes\.ts$/.test(path)) return [];
    return imports
      .filter(isRouteFile)
      .filter((target) => posix.dirname(target) !== posix.dirname(path))
      .map((target) => `imports the endpoint ${target}; only routes.ts does.`);
  },

  function noGrabBags({ path }) {
    const grabBag = path.split('/').find((name) => grabBagName.test(name));
    return grabBag === undefined
      ? []
      : [`"${grabBag}" is a grab bag: name the file by its one reason.`];
  },

  function shortFiles({ path, text }) {
    const lines = linesOf(path, text);
    return lines <= linesMax ? [] : [`has ${lines} lines, more than ${linesMax}.`];
  },

  function oneReaderEach({ path, text }) {
    return soleReaders
      .filter(({ pattern, files }) => pattern.test(text) && !files.some((file) => file.test(path)))
      .map(({ problem, where }) => `${problem}: that is for ${where}.`);
  },

  function sqlOnlyInStores({ path, text, test }) {
    if (test || !path.endsWith('.ts') || path.endsWith('-store.ts')) return [];
    if (/^(platform\/database\/(sqlite|postgres)-|scripts\/|bench\/|faults\/|cluster\/)/.test(path))
      return [];
    const statement = sqlInText.exec(text)?.[0];
    return statement === undefined
      ? []
      : [`has SQL ("${statement.slice(1, 40)}"): that is for *-store.ts.`];
  },

  function writesInvalidate({ path, text, test }) {
    return test ? [] : uninvalidatedWrites(path, text);
  },

  function readsAwaitSqlOnly({ path, text, test }) {
    if (test || path.startsWith('platform/database/')) return [];
    return foreignAwaits(text).map(
      (awaited) => `awaits "${awaited}" in a read, which may await nothing but its SQL.`,
    );
  },

  function headerNamesOnlyInHttp({ path, text, test }) {
    if (test || !/^(forge|functions)\//.test(path) || headerFiles.test(path)) return [];
    const name = headerName.exec(text)?.[0];
    return name === undefined ? [] : [`names the header ${name}: that is for http/.`];
  },

  function deterministicTests({ path, text }) {
    // The test of these rules quotes what they refuse.
    if (!path.endsWith('.test.ts') || path.endsWith('/architecture-rules.test.ts')) return [];
    return nondeterminism.filter(({ pattern }) => pattern.test(text)).map(({ problem }) => problem);
  },
];

interface ForbiddenImport {
  readonly from: RegExp;
  readonly to: RegExp;
  readonly except?: RegExp;
  readonly reason: string;
  /** Tests start whole services. */
  readonly testsMay?: boolean;
}

const forbiddenImports: readonly ForbiddenImport[] = [
  {
    from: /^platform\//,
    to: /^/,
    except: /^platform\//,
    reason: 'platform/ knows nothing of ours.',
  },
  {
    from: /^web\//,
    to: /^/,
    except: /^(web|platform)\//,
    reason: 'web/ knows no service.',
    testsMay: true,
  },
  { from: /^forge\//, to: /^functions/, reason: 'the services do not know each other.' },
  { from: /^functions\//, to: /^forge\//, reason: 'the services do not know each other.' },
  {
    from: /^functions-contract\//,
    to: /^/,
    except: /^functions-contract\//,
    reason: 'it is data.',
  },
  {
    from: /^(forge|functions)\//,
    to: /^(settings\/|hob\.ts|commands\/)/,
    reason: 'a service gets its settings and knows no command.',
  },
  {
    from: /^cli\//,
    to: /^/,
    except:
      /^(cli\/|functions-contract\/|deployment\/|platform\/(sigv4\/|zip\/|visible-controls\.ts))/,
    reason:
      'cli/ knows only the contract, deployments, and of platform/ sigv4/, zip/ and visible-controls.ts.',
    testsMay: true,
  },
  {
    from: /^deployment\//,
    to: /^/,
    except: /^(deployment\/|functions-contract\/|platform\/present\.ts)/,
    reason: 'the client and the function service share deployment/.',
    testsMay: true,
  },
  {
    from: /^(?!.*(\.test\.ts|-fixture\.ts|\/testing\/|^bench\/|^scripts\/|^scenarios\/|^faults\/|^cluster\/))/,
    to: /\/testing\//,
    reason: 'only tests use what is made for tests.',
  },
];

const grabBagName =
  /^(utils?|helpers?|common|managers?|misc|shared|lib|stuff|base)(\.|$)|-(utils?|helpers?)\./;

/** What only one file does, so that tests can replace it. */
const soleReaders: readonly {
  readonly problem: string;
  readonly pattern: RegExp;
  readonly where: string;
  readonly files: readonly RegExp[];
}[] = [
  {
    problem: 'reads the clock',
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    where: 'platform/clock.ts',
    files: [
      /^cli\/context\/system-context\.ts$/,
      /^platform\/clock\.ts$/,
      /^(scripts|bench|scenarios|faults|cluster)\//,
      /\.test\.ts$/,
      /\/testing\//,
    ],
  },
  {
    problem: 'draws at random',
    pattern: /\bMath\.random\(|(?<![.\w])random(Bytes|UUID|Int|FillSync)\(/,
    where: 'platform/random.ts',
    files: [
      /^cli\/context\/system-context\.ts$/,
      /^platform\/random\.ts$/,
      /^(scripts|bench|scenarios|faults|cluster)\//,
      /\.test\.ts$/,
    ],
  },
  {
    problem: 'reads the environment',
    pattern: /\bprocess\.env\b|\benv\b.*from 'node:process'/,
    where: 'settings/settings.ts',
    files: [
      /^cli\/context\/system-context\.ts$/,
      /^settings\/settings\.ts$/,
      /\.test\.ts$/,
      /\/testing\//,
      /^(scripts|bench|scenarios|faults|cluster)\//,
    ],
  },
  {
    problem: 'starts a child process',
    pattern:
      /\b(spawn|spawnSync|exec|execFile|execSync|execFileSync|fork)\b[^;]*from 'node:child_process'/,
    where: 'platform/child-process.ts, forge/git/commands/run-git.ts and the launcher',
    files: [
      /^platform\/child-process\.ts$/,
      /^forge\/git\/commands\/run-git\.ts$/,
      /^functions\/launcher\/process\/start-process\.ts$/,
      /^cli\/programs\/system-programs\.ts$/,
      /^(scripts|bench|scenarios|faults|cluster)\//,
      /\.test\.ts$/,
      /\/testing\//,
    ],
  },
  {
    problem: 'loads the ES module of node:http, and with it the HTTP client of fetch',
    pattern: /^import (?!type\b)[^;]*from 'node:http'|\bimport\('node:http'\)/m,
    where: 'platform/node-http.ts',
    files: [
      /^cli\//,
      /^(scripts|bench|scenarios|faults|cluster|examples)\//,
      /\.test\.ts$/,
      /\/testing\//,
    ],
  },
  {
    problem: 'drops what decodeURIComponent returns, so that the bundler removes the call',
    pattern: /^\s*decodeURI(?:Component)?\(.*\);$/m,
    where: 'platform/decodable.ts',
    files: [],
  },
  {
    problem: 'writes to the terminal',
    pattern: /\bprocess\.std(out|err)\b/,
    where: 'hob.ts, commands/, cli/, platform/log.ts and platform/in-background.ts',
    files: [
      /^hob\.ts$/,
      /^(commands|cli|scripts|bench|scenarios|faults|cluster)\//,
      /^platform\/(log|in-background)\.ts$/,
      /git-process\.ts$/,
      /\.test\.ts$/,
    ],
  },
];

/** A statement at the beginning of a text; lower case, as all SQL here is. */
const sqlInText =
  /[`'"]\s*(select\s[^`'"]*\sfrom\s|insert into\s|update \w+ set\s|delete from\s|with \w+ as \(|(create|alter|drop) (table|index)\s)/;

const headerFiles =
  /^(forge|functions)\/http\/|^web\/|^forge\/(routing|json|git|git-http|imports|web)\/|^functions\/(runtime-api|configured-resources|urls|function-urls|webhook-targets|other-services|signing|web)\/|^functions\/environments\/deliver-in-sandbox|^functions\/invocation\/trace-collector/;
const headerName =
  /['"](x-[a-z][a-z-]*|content-(type|length|encoding|disposition)|etag|if-(none-)?match|if-(un)?modified-since|last-modified|cache-control|authorization|www-authenticate|retry-after|user-agent|set-cookie)['"]/i;

/** Aesthetics: a test needs no luck and no neighbour. */
const nondeterminism: readonly { readonly problem: string; readonly pattern: RegExp }[] = [
  { problem: 'sleeps.', pattern: /from 'node:timers\/promises'|\bsleep\(\d/ },
  {
    problem: 'runs a hook for the tests of every file: put it in a describe.',
    pattern: /^(before|after)(Each)?\(/m,
  },
  { problem: 'listens on a fixed port.', pattern: /\blisten\(\s*(\{\s*port:\s*)?[1-9]/ },
  { problem: 'ends the process that all tests share.', pattern: /\bprocess\.(exit|chdir)\(/ },
  {
    problem: 'changes the environment that all tests share.',
    pattern: /\bprocess\.env(\.\w+|\[[^\]]+\])\s*=[^=]/,
  },
  {
    problem: 'reaches beyond this machine.',
    pattern: /\bfetch\(\s*['"`]https?:\/\/(?!127\.|localhost|\[::1\]|\$\{)/,
  },
];

function isTest(path: string): boolean {
  return /(\.(test|scenario)|-fixture)\.ts$|(^|\/)testing\/|^scenarios\//.test(path);
}

function importsOf(path: string, text: string): string[] {
  const specifiers = [
    ...text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm),
  ];
  return specifiers.flatMap((match) => resolved(path, match[1] ?? match[2] ?? match[3] ?? ''));
}

/** A relative or `#` specifier as a path of the project; packages are none of ours. */
function resolved(path: string, specifier: string): string[] {
  if (specifier.startsWith('#')) return [specifier.slice(1)];
  if (!specifier.startsWith('.')) return [];
  return [posix.join(posix.dirname(path), specifier)];
}
