import { Worker } from 'node:worker_threads';

import { readTemplate, type TemplateReading } from '#deployment/read-template.ts';
import { errorCode } from '#platform/error-code.ts';
import { nextMessage } from '#platform/next-message.ts';

/** Template of a push that is read at once; a longer one in a thread: 40 milliseconds for each KiB are easy to write. */
const shortCharactersMax = 4 * 1024;
/** Time for that thread to start and to read the template. */
const millisecondsMax = 30_000;
/** Memory of that thread. */
const memoryMegabytesMax = 256;

export interface TemplateRequest {
  readonly text: string;
  readonly file: string;
}

/** `readTemplate` for texts of other people, which must not hold the process up. */
export async function readTemplateInThread(text: string, file: string): Promise<TemplateReading> {
  if (text.length <= shortCharactersMax) return readTemplate(text, file);
  const request: TemplateRequest = { text, file };
  const worker = new Worker(new URL('template-worker.ts', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax },
  });
  // nextMessage rejects with its error; one that comes after that must not end the server.
  worker.on('error', () => {});
  try {
    return await nextMessage<TemplateReading>(worker, millisecondsMax);
  } catch (error) {
    // Aborted: the time is up. Any other error is not the text's.
    const isOfText =
      error instanceof RangeError ||
      ['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY'].includes(errorCode(error) ?? '');
    if (!isOfText) throw error;
    const problem = `${file} takes too long to read, or too much memory. Make it shorter or simpler.`;
    return { kind: 'refused', problems: [problem] };
  } finally {
    await worker.terminate();
  }
}
