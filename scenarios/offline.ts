/** Scenarios that must not need a network; offline.scenario.test.ts runs them, as it can, where there is none. */
import { spawnSync } from 'node:child_process';

/** Runs a command where there is loopback alone: no route leads anywhere, and there is no name server. */
export const offline: readonly string[] = [
  '--net',
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  'ip link set lo up && mount --bind /dev/null /etc/resolv.conf && exec "$@"',
  'sh',
];

export function canBeOffline(): boolean {
  return spawnSync('unshare', [...offline, 'true']).status === 0;
}

export const offlineScenarios: readonly string[] = [
  'scenarios/push-to-status.scenario.test.ts',
  'scenarios/push-to-status-kill.scenario.test.ts',
  'scenarios/push-loops.scenario.test.ts',
  'scenarios/npm-clients.scenario.test.ts',
  'scenarios/github-apps.scenario.test.ts',
  'scenarios/push-to-deploy.scenario.test.ts',
  'scenarios/auto-merge.scenario.test.ts',
  'scenarios/functions-reach-the-server.scenario.test.ts',
];
