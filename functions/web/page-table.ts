import type { ConsolePage } from './kit/console-context.ts';
import { accessKeysPage } from './pages/access-keys.ts';
import { aliasesPage, aliasPage } from './pages/aliases.ts';
import { asynchronousPage } from './pages/asynchronous.ts';
import { auditPage } from './pages/audit.ts';
import { codePage } from './pages/code.ts';
import { concurrencyPage } from './pages/concurrency.ts';
import { configurationPage } from './pages/configuration.ts';
import { createFunctionPage } from './pages/create-function.ts';
import { eventSourceMappingPage } from './pages/event-source-mapping.ts';
import { eventSourceMappingsPage, eventSourcesPage } from './pages/event-source-mappings.ts';
import { executionPage, executionsPage } from './pages/executions.ts';
import { functionUrlPage } from './pages/function-url.ts';
import { functionsPage } from './pages/functions.ts';
import { layersPage, layerPage } from './pages/layers.ts';
import { layerVersionPage } from './pages/layer-version.ts';
import { logsPage } from './pages/logs.ts';
import { monitorPage } from './pages/monitor.ts';
import { overviewPage } from './pages/overview.ts';
import { permissionsPage } from './pages/permissions.ts';
import { resourcesPage } from './pages/resources.ts';
import { tagsPage } from './pages/tags.ts';
import { testPage } from './pages/test.ts';
import { versionsPage } from './pages/versions.ts';

/** Every page of the console. */
export const pages: readonly ConsolePage[] = [
  functionsPage,
  createFunctionPage,
  overviewPage,
  codePage,
  testPage,
  logsPage,
  configurationPage,
  versionsPage,
  aliasesPage,
  aliasPage,
  functionUrlPage,
  permissionsPage,
  concurrencyPage,
  asynchronousPage,
  eventSourcesPage,
  executionsPage,
  executionPage,
  monitorPage,
  tagsPage,
  layersPage,
  layerPage,
  layerVersionPage,
  eventSourceMappingsPage,
  eventSourceMappingPage,
  resourcesPage,
  accessKeysPage,
  auditPage,
];
