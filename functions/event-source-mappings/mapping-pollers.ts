import { atMost } from '#platform/at-most.ts';
import { inBackground } from '#platform/in-background.ts';

import type { EventSourceMapping } from './event-source-mapping.ts';
import { listEnabledMappings, mappingsChannel } from './event-source-mapping-store.ts';
import { pollQueue, type PollPorts } from './poll-queue.ts';

/** The pollers of all enabled mappings to functions whose home this server is: only there is their concurrency counted. */
export interface MappingPollers {
  /** Polls from now on. */
  start(): void;
  /** Receives nothing more, and waits a limited time for batches in progress: what they have not deleted comes again. */
  close(): Promise<void>;
}

/** Time until a change of a mapping by another server is noticed. */
const pollMilliseconds = 2000;
/** Time that a stop waits for the pollers of mappings. */
const drainMilliseconds = 2000;

interface Poller {
  /** What it polls with: another text means that the mapping has changed. */
  readonly settings: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export function createMappingPollers(ports: PollPorts): MappingPollers {
  const { database, homes, onError } = ports;
  const pollers = new Map<number, Poller>();
  /** Stopped ones whose batches still run. */
  const ending = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let unlisten: readonly (() => void)[] = [];
  let polling: Promise<void> | undefined;
  let again = false;
  let closed = false;

  function begin(mapping: EventSourceMapping): void {
    const stop = new AbortController();
    const ended = pollQueue(ports, mapping, stop.signal).catch(onError);
    pollers.set(mapping.id, { settings: settingsOf(mapping), stop, ended });
  }

  function end(id: number, { stop, ended }: Poller): void {
    stop.abort();
    pollers.delete(id);
    ending.add(ended);
    inBackground(ended.finally(() => ending.delete(ended)));
  }

  async function poll(): Promise<void> {
    const enabled = await database.read(listEnabledMappings);
    if (closed) return;
    const own = enabled.filter(({ functionName }) => homes.isHome(functionName));
    const wanted = new Map(own.map((mapping) => [mapping.id, mapping]));
    for (const [id, poller] of pollers) {
      const mapping = wanted.get(id);
      if (!mapping || settingsOf(mapping) !== poller.settings) end(id, poller);
    }
    for (const [id, mapping] of wanted) if (!pollers.has(id)) begin(mapping);
  }

  function wake(): void {
    if (closed) return;
    again = polling !== undefined;
    polling ??= poll()
      .catch(onError)
      .finally(() => {
        polling = undefined;
        if (again) wake();
      });
  }

  return {
    start() {
      unlisten = [database.listen(mappingsChannel, wake), homes.onChange(wake)];
      timer = setInterval(wake, pollMilliseconds);
      wake();
    },
    async close() {
      closed = true;
      for (const stopListening of unlisten) stopListening();
      clearInterval(timer);
      await polling;
      for (const [id, poller] of pollers) end(id, poller);
      await atMost(drainMilliseconds, Promise.all(ending));
    },
  };
}

function settingsOf(mapping: EventSourceMapping): string {
  const { lastResult: _result, tags: _tags, ...settings } = mapping;
  return JSON.stringify(settings);
}
