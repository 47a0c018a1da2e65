import type { ConsolePage } from './kit/console-context.ts';
import { configurationPage } from './pages/configuration.ts';
import { functionsPage } from './pages/functions.ts';
import { overviewPage } from './pages/overview.ts';
import { testPage } from './pages/test.ts';

/** Every page of the console. */
export const pages: readonly ConsolePage[] = [
  functionsPage,
  overviewPage,
  testPage,
  configurationPage,
];
