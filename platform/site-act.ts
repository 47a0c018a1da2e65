/** What a site administrator did, or tried to do, for the audit log of the program. */
export interface SiteAct {
  /** As the audit log of GitHub calls it, where it has one. */
  readonly action: string;
  /** The login of the site administrator. */
  readonly actor: string;
  /** The address of the browser; undefined for a request of the API. */
  readonly from: string | undefined;
  /** What it was done to, without secrets. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Undefined: it was done. */
  readonly errorCode: string | undefined;
}

/** Never fails: what was done has been done. */
export type RecordSiteAct = (act: SiteAct) => Promise<void>;
