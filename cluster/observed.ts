/** What is in the installation after a run, read when nothing is under way any more. */
export interface Observed {
  readonly statuses: readonly { readonly id: number; readonly context: string }[];
  readonly comments: readonly { readonly id: number; readonly body: string }[];
  readonly repositories: readonly string[];
  /** Of the repository of the run, `refs/pull/N/head` included. */
  readonly refs: ReadonlyMap<string, string>;
  /** Commits of the branches that clients moved, newest first, along the first parents. */
  readonly histories: ReadonlyMap<string, readonly string[]>;
  /** Commits of the base branch along the first parents. */
  readonly base: readonly { readonly sha: string; readonly subject: string }[];
  readonly pulls: readonly ObservedPull[];
  readonly functions: ReadonlyMap<string, ObservedFunction>;
  /** What each published version says of itself, by `NAME:VERSION`. */
  readonly versions: ReadonlyMap<string, number>;
  /** Asynchronous events as functions handled them; `run` is unique for each time. */
  readonly handled: readonly { readonly event: string; readonly run: string }[];
  /** Deliveries of webhooks about comments, by the `X-GitHub-Delivery` of each. */
  readonly deliveries: readonly { readonly guid: string; readonly comment: number }[];
  readonly executions: ReadonlyMap<string, ObservedExecution>;
  /** Intents, claims, unfinished repositories and versions, and temporary files of git. */
  readonly leftBehind: readonly string[];
  /** What `git fsck` found, a line each. */
  readonly damage: readonly string[];
}

export interface ObservedPull {
  readonly number: number;
  readonly title: string;
  readonly open: boolean;
  readonly headRef: string;
  readonly headSha: string;
  /** Undefined: it is not merged. */
  readonly mergeSha: string | undefined;
}

export interface ObservedFunction {
  /** The update that its configuration has. */
  readonly round: number;
  /** The update that it says it runs with. */
  readonly answered: number | undefined;
  readonly active: boolean;
}

export interface ObservedExecution {
  readonly status: string;
  /** What the program returned: the results of its steps as it saw them. */
  readonly returned: readonly string[];
  /** Results of steps as they were stored, in order. */
  readonly checkpointed: readonly string[];
}
