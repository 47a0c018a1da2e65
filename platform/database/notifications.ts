import type { Sql, Statements } from './database.ts';

/** Who listens to which channel of a database, within this process. */
export interface Notifications {
  readonly listen: (channel: string, listener: () => void) => () => void;
  /** To be called once the change is committed. */
  readonly deliver: (channels: Iterable<string>) => void;
}

export function createNotifications(): Notifications {
  const listeners = new Map<string, Set<() => void>>();
  return {
    listen(channel, listener) {
      const ofChannel = listeners.get(channel) ?? new Set();
      listeners.set(channel, ofChannel.add(listener));
      return () => {
        ofChannel.delete(listener);
        if (ofChannel.size === 0 && listeners.get(channel) === ofChannel) listeners.delete(channel);
      };
    },
    deliver(channels) {
      for (const channel of new Set(channels)) {
        for (const listener of listeners.get(channel) ?? []) listener();
      }
    },
  };
}

/** For functions that only read: no commit, so nothing to notify of. */
export function withoutNotifications(statements: Statements): Sql {
  return { ...statements, notify: refuse };
}

function refuse(): never {
  throw new Error('A read commits nothing, so it cannot notify listeners.');
}
