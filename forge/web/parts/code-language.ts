import { posix } from 'node:path';

import { languageOf } from '../../repositories/languages.ts';

/** The name of a file's language for the highlighter; undefined: it is shown without colours. */
export function codeLanguage(path: string): string | undefined {
  const language = languageOf(path);
  if (language !== undefined) return names[language] ?? language.toLowerCase();
  const extension = posix.extname(path).slice(1).toLowerCase();
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** Of the languages that highlight.js calls differently, or has only a relative of. */
const names: Readonly<Record<string, string>> = {
  Assembly: 'x86asm',
  Astro: 'xml',
  Batchfile: 'dos',
  Cuda: 'cpp',
  'Emacs Lisp': 'lisp',
  HCL: 'ini',
  'Jupyter Notebook': 'json',
  'Objective-C': 'objectivec',
  Sass: 'scss',
  Shell: 'bash',
  Solidity: 'javascript',
  Svelte: 'xml',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vbnet',
  Vue: 'xml',
  Zig: 'rust',
};

/** Data and prose, which no statistic of languages counts. */
const byExtension: Readonly<Record<string, string>> = {
  cfg: 'ini',
  conf: 'nginx',
  diff: 'diff',
  graphql: 'graphql',
  gql: 'graphql',
  ini: 'ini',
  json: 'json',
  markdown: 'markdown',
  md: 'markdown',
  patch: 'diff',
  properties: 'properties',
  proto: 'protobuf',
  sql: 'sql',
  svg: 'xml',
  toml: 'ini',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};
