import type { Account } from '../model/account.ts';
import type { Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';

/** The repository and actor of an event. */
export interface PayloadContext {
  readonly repository: Repository;
  readonly sender: Account;
  readonly urls: Urls;
}
