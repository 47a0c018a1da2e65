import type { UserCaller } from '../model/caller.ts';
import type { Repository } from '../model/repository.ts';

/** What the caller asks for, with the title checked and the refs not yet. */
export interface CreatePullInput {
  readonly repository: Repository;
  readonly caller: UserCaller;
  /** What it is about: words of its own, or an issue that becomes a pull. */
  readonly subject:
    | { readonly title: string; readonly body: string | null }
    | { readonly issueNumber: number };
  readonly base: string;
  readonly head: string;
  readonly headRepository: string | undefined;
  readonly draft: boolean;
  readonly maintainerCanModify: boolean | undefined;
  readonly now: number;
}
