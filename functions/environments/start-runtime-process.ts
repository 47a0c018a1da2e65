import type { Sandbox, Program } from '../launcher/launcher.ts';
import type { RuntimeChannel } from '../runtime-api/runtime-channel.ts';
import { ExtensionPrograms, type ExtensionSession } from './extension-programs.ts';
import { RuntimeProcess, type InitFailure } from './runtime-process.ts';

/** The sessions with the programs of one start. */
export interface RuntimeSession {
  readonly channel: RuntimeChannel;
  /** Undefined: the function has no extensions. */
  readonly extensions: ExtensionSession | undefined;
}

export type Started =
  | { readonly kind: 'ready'; readonly run: RuntimeProcess }
  | { readonly kind: 'failed'; readonly failure: InitFailure };

/** Starts a function's extensions and then its program; ready when all of them request an event. */
export async function startRuntimeProcess(
  sandbox: Sandbox,
  program: Program,
  { channel, extensions: extensionSession }: RuntimeSession,
  milliseconds: number,
): Promise<Started> {
  const startedAt = performance.now();
  const left = (): number => milliseconds - (performance.now() - startedAt);
  const extensions = extensionSession && (await ExtensionPrograms.start(sandbox, extensionSession));
  const unknown = await extensions?.registered(milliseconds);
  if (unknown) {
    await extensions?.end('failure');
    channel.close();
    return { kind: 'failed', failure: unknown };
  }
  const run = await RuntimeProcess.start(sandbox, program, channel, extensions);
  const failure = await run.initialised(left());
  return failure ? { kind: 'failed', failure } : { kind: 'ready', run };
}
