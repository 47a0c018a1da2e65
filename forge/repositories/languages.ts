import { posix } from 'node:path';

import type { TreeEntry } from '../git/git.ts';

/**
 * Languages by the extensions of their files: programming and markup languages of linguist's table that one extension stands for.
 * https://github.com/github-linguist/linguist/blob/main/lib/linguist/languages.yml
 */
const extensions: Readonly<Record<string, readonly string[]>> = {
  Assembly: ['asm'],
  Astro: ['astro'],
  Batchfile: ['bat', 'cmd'],
  C: ['c', 'h'],
  'C#': ['cs'],
  'C++': ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'hxx'],
  CMake: ['cmake'],
  CSS: ['css'],
  Clojure: ['clj', 'cljc', 'cljs'],
  CoffeeScript: ['coffee'],
  Crystal: ['cr'],
  Cuda: ['cu'],
  D: ['d'],
  Dart: ['dart'],
  Elixir: ['ex', 'exs'],
  Elm: ['elm'],
  'Emacs Lisp': ['el'],
  Erlang: ['erl', 'hrl'],
  'F#': ['fs', 'fsx'],
  Go: ['go'],
  Groovy: ['groovy', 'gradle'],
  HCL: ['tf', 'hcl', 'tfvars'],
  HTML: ['html', 'htm'],
  Haskell: ['hs'],
  Java: ['java'],
  JavaScript: ['js', 'mjs', 'cjs', 'jsx'],
  Julia: ['jl'],
  'Jupyter Notebook': ['ipynb'],
  Kotlin: ['kt', 'kts'],
  Less: ['less'],
  Lua: ['lua'],
  Nim: ['nim'],
  Nix: ['nix'],
  OCaml: ['ml', 'mli'],
  'Objective-C': ['m'],
  'Objective-C++': ['mm'],
  PHP: ['php'],
  Pascal: ['pas'],
  Perl: ['pl', 'pm'],
  PowerShell: ['ps1', 'psm1'],
  Python: ['py', 'pyi'],
  R: ['r'],
  Ruby: ['rb', 'gemspec', 'rake'],
  Rust: ['rs'],
  SCSS: ['scss'],
  Sass: ['sass'],
  Scala: ['scala', 'sbt'],
  Scheme: ['scm'],
  Shell: ['sh', 'bash', 'zsh'],
  Solidity: ['sol'],
  Svelte: ['svelte'],
  Swift: ['swift'],
  Tcl: ['tcl'],
  TeX: ['tex'],
  TypeScript: ['ts', 'mts', 'cts', 'tsx'],
  VHDL: ['vhd', 'vhdl'],
  'Vim Script': ['vim'],
  'Visual Basic .NET': ['vb'],
  Vue: ['vue'],
  Zig: ['zig'],
};

const fileNames: Readonly<Record<string, string>> = {
  'CMakeLists.txt': 'CMake',
  Containerfile: 'Dockerfile',
  Dockerfile: 'Dockerfile',
  Gemfile: 'Ruby',
  Makefile: 'Makefile',
  Rakefile: 'Ruby',
};

const byExtension: ReadonlyMap<string, string> = new Map(
  Object.entries(extensions).flatMap(([language, list]) => list.map((end) => [end, language])),
);

/** Copies of other people's code, and what tools have made. */
const notCounted = /(?:^|\/)(?:node_modules|vendor|third_party|dist)\/|\.min\.(?:js|css)$|\.d\.ts$/;

/** How many bytes a tree has in each language, the most first. */
export function bytesByLanguage(entries: readonly TreeEntry[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const { path, size = 0, type } of entries) {
    const language = type === 'blob' && !notCounted.test(path) ? languageOf(path) : undefined;
    if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + size);
  }
  const counted = [...bytes].filter(([, count]) => count > 0);
  return new Map(counted.toSorted(([, one], [, other]) => other - one));
}

export function languageOf(path: string): string | undefined {
  const name = posix.basename(path);
  if (Object.hasOwn(fileNames, name)) return fileNames[name];
  return byExtension.get(posix.extname(name).slice(1).toLowerCase());
}
