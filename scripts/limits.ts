import { evaluate } from './arithmetic.ts';
import type { Project } from './project.ts';

/** A constant of the program that bounds something: a number, or a table of numbers. */
export interface Limit {
  readonly file: string;
  readonly name: string;
  /** One without a name, or those of a table. */
  readonly values: readonly LimitValue[];
  /** The first paragraph of its comment in one line; empty without a comment. */
  readonly meaning: string;
}

export interface LimitValue {
  readonly member?: string;
  readonly value: number;
}

/** The folders of the program, in the order of docs/limits.md. */
export const programFolders = {
  commands: 'Server',
  forge: 'Code host',
  functions: 'Function service',
  'functions-contract': 'Function service: its contract',
  deployment: 'Function service: templates',
  cli: 'Client',
  web: 'Pages of both services',
  platform: 'Platform',
} as const;

/** All constants of modules whose names are those of limits, with values that are known before the program runs. */
export function findLimits(project: Project): Limit[] {
  const constants = project.files
    .filter(isProgram)
    .toSorted()
    .flatMap((file) => constantsOf(file, project.read(file)));
  const exported = new Map(constants.map(({ name, expression }) => [name, expression]));
  return constants
    .filter(({ name }) => limitName.test(name) && !unitName.test(name))
    .map(({ file, name, expression, comment }) => {
      const inFile = constants.filter((other) => other.file === file);
      const expressionOf = (other: string): string | undefined =>
        inFile.find((one) => one.name === other)?.expression ?? exported.get(other);
      const values = valuesOf(expression, expressionOf);
      return { file, name, values, meaning: firstParagraph(comment) };
    })
    .filter(({ values }) => values.length > 0);
}

/** Limits that do not say what they limit; one sentence each. */
export function unexplainedLimits(project: Project): string[] {
  return findLimits(project)
    .filter(({ meaning }) => meaning === '')
    .map(
      ({ file, name }) =>
        `${file}: a comment (/** … */) before ${name} must say what it limits, and what happens beyond; docs/limits.md shows it. Rename the constant if it is no limit.`,
    );
}

const limitName =
  /(?:Max|Min|AtOnce|Default|Size|Count|[Mm]illiseconds|[Ss]econds|[Mm]inutes|Days|[Ll]imits|Timeouts|Times|Timings)$/;

/** Units of time are no limits. */
const unitName = /^(?:minute|hour|day)(?:Seconds|Milliseconds)$/;

interface Constant {
  readonly file: string;
  readonly name: string;
  readonly expression: string;
  readonly comment: string;
}

/** As the formatter writes it: all lines of a value but the last begin with a space, or close what the first one opens. */
const constant =
  /(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?^(?:export )?const (\w+)(?:: [^=\n]+)? =\s+(\{(?:[^\n]|\n(?=[ \n}]))*?\}|(?:[^;{\n]|\n(?=[ )\]]))+)(?: as const)?;\n/gm;

function constantsOf(file: string, text: string): Constant[] {
  return [...text.matchAll(constant)].map(([, comment = '', name = '', expression = '']) => ({
    file,
    name,
    expression,
    comment,
  }));
}

function valuesOf(
  expression: string,
  expressionOf: (name: string) => string | undefined,
): LimitValue[] {
  if (!expression.startsWith('{')) {
    const value = evaluate(expression, expressionOf);
    return value === undefined ? [] : [{ value }];
  }
  const members = withoutComments(expression).matchAll(/([\w-]+)'?: ([^,{}]+)/g);
  return [...members].flatMap(([, member = '', written = '']) => {
    const value = evaluate(written, expressionOf);
    return value === undefined ? [] : [{ member, value }];
  });
}

function isProgram(file: string): boolean {
  const [folder = ''] = file.split('/');
  return (
    folder in programFolders &&
    /\.(?:ts|cjs)$/.test(file) &&
    !/\.(?:test|d)\.ts$|\/testing\//.test(file)
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/g, '');
}

function firstParagraph(comment: string): string {
  const lines = comment
    .replaceAll(/^\/\*\*|\*\/\s*$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*/, '').trim());
  return (lines.join('\n').trim().split('\n\n')[0] ?? '').replaceAll('\n', ' ');
}
