import type { Caller } from '../model/caller.ts';
import type { Urls } from '../json/urls.ts';
import type { MediaType } from './media-types.ts';
import type { Page } from './pagination.ts';
import type { RateWindow } from './rate-limit.ts';

/** What every request has, whichever endpoint it is for; its path and body are the endpoint's own. */
export interface RequestContext<Who extends Caller = Caller> {
  readonly query: URLSearchParams;
  readonly caller: Who;
  readonly page: Page;
  readonly media: MediaType;
  readonly urls: Urls;
  /** What the caller has asked this hour, this request included. */
  readonly rate: RateWindow;
  /** Milliseconds since the epoch: one moment for all that this request does. */
  readonly now: number;
  /** Minutes east of UTC for the git dates this request makes (http/time-zone.ts). */
  readonly zoneOffset: (at: number) => number;
}
