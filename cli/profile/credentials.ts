/** What requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Where they were found, for `--debug`. */
  readonly source: string;
}
