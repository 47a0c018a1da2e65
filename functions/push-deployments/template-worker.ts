import { parentPort, workerData } from 'node:worker_threads';

import { readTemplate } from '#deployment/read-template.ts';

import type { TemplateRequest } from './read-template-in-thread.ts';

/** The thread of read-template-in-thread.ts: one template. */
const { text, file }: TemplateRequest = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(readTemplate(text, file));
