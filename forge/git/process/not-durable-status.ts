/**
 * The git process's exit status that tells its parent not to start it again.
 */
export const notDurableStatus = 70;
