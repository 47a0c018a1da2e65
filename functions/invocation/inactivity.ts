/** What invocations have to do with functions that rest because nobody uses them. */
export interface InactivityGate {
  /** A version is being invoked. */
  used(versionId: number): void;
  /** Somebody asks for a version that rests; resolves once it shows that it is being brought back. */
  wake(versionId: number): Promise<void>;
}
