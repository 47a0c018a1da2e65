import type { Readable } from 'node:stream';

import type { Caller } from '../model/caller.ts';
import type { Urls } from '../json/urls.ts';
import type { MediaType } from './media-types.ts';
import type { Page } from './pagination.ts';
import type { RateResource, RateWindow } from './rate-limit.ts';

/** A body that is read as it arrives. */
export interface RequestUpload {
  readonly content: Readable;
  readonly contentType: string | undefined;
  /** Its Content-Length; undefined for chunks. */
  readonly bytes: number | undefined;
  /** Authenticates the caller and decides on access again, because a body may take hours. */
  confirmAccess(): Promise<void>;
}

/** Context of every request; endpoints add path and body. */
export interface RequestContext<Who extends Caller = Caller> {
  readonly query: URLSearchParams;
  readonly caller: Who;
  readonly page: Page;
  readonly media: MediaType;
  readonly urls: Urls;
  /** The caller's requests of this hour, including this one. */
  readonly rate: RateWindow;
  /** Whether they are all used; only requests for GraphQL run even then, to say it in its own form. */
  readonly overLimit: boolean;
  /** The same of requests that are counted apart, without counting this one. */
  readonly rateOf: (resource: RateResource) => Promise<RateWindow>;
  /** Counts something that this request does in addition to itself; whether it is allowed. */
  readonly countIn: (resource: RateResource) => Promise<boolean>;
  /** Counts something that this request creates, in addition to itself; the seconds to wait if there were too many. */
  readonly countCreation?: (() => number | undefined | Promise<number | undefined>) | undefined;
  /** The body, where the endpoint takes an upload. */
  readonly upload?: RequestUpload | undefined;
  /** Calls back once nothing more is sent of the response: it is complete, or the client has left. */
  readonly onEnd?: ((listener: () => void) => void) | undefined;
  /** Runs what takes git long when the caller may: one client runs one at a time, over pages and the API together. */
  readonly inSlowSlot?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** Milliseconds since the epoch, the same for everything that this request does. */
  readonly now: number;
  /** `X-GitHub-Request-Id` of the response; pages have none. */
  readonly requestId?: string | undefined;
  /** Minutes east of UTC for the git dates this request makes (http/time-zone.ts). */
  readonly zoneOffset: (at: number) => number;
}
