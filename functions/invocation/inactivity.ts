/** How invocations interact with functions that are inactive because they were not used. */
export interface InactivityGate {
  /** A version is being invoked. */
  used(versionId: number): void;
  /** Activates an inactive version that is invoked; resolves once its state is Pending. */
  wake(versionId: number): Promise<void>;
}
