/** All webhooks get those of runs that were created and completed, the App of the run alone gets the others. */
export interface CheckRunEvent {
  readonly event: 'check_run';
  readonly action: 'created' | 'completed' | 'rerequested';
  readonly runId: number;
  /** That created the run. */
  readonly appId: number;
  readonly actorId: number | null;
}

/** All webhooks get those of completed suites, the App of the suite alone gets the others. */
export interface CheckSuiteEvent {
  readonly event: 'check_suite';
  readonly action: 'completed' | 'requested' | 'rerequested';
  readonly suiteId: number;
  readonly appId: number;
  readonly actorId: number | null;
}
