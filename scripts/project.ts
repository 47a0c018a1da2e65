import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from './test-parts.ts';

/** What documents are held against, and made of: the paths and texts of the project. */
export interface Project {
  readonly files: readonly string[];
  /** The text of a file of `files`. */
  readonly read: (path: string) => string;
}

export function openProject(): Project {
  return {
    files: globSync('**/*', { cwd: projectFolder, exclude: ['**/node_modules', 'data'] }),
    read: (path) => readFileSync(join(projectFolder, path), 'utf8'),
  };
}
