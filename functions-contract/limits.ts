/** The limits of the service (functions 2, docs/limits.md; recorded answers). */
export const functionNameLengthMax = 64;
export const timeoutSecondsMax = 900;
export const timeoutSecondsDefault = 3;
export const memoryMiBDefault = 128;
export const memoryMiBMax = 32_768;
export const ephemeralStorageMiBDefault = 512;
/** Bytes of the variables as compact JSON. */
export const environmentBytesMax = 4096;
export const layersMax = 5;
export const configurationRequestBytesMax = 5120;
export const codeRequestBytesMax = 70_167_211;
export const zippedBytesMax = 52_428_800;
export const unzippedBytesMax = 262_144_000;
export const zipEntriesMax = 50_000;
export const invokeRequestBytesMax = 6_291_456;
export const eventRequestBytesMax = 1_048_576;
export const invokeResponseBytesMax = 6_291_556;
/** Bytes of the archives of all functions and layers together. */
export const codeBytesOfAccountMax = 80_530_636_800;
export const tagsMax = 50;
export const listPageMax = 50;
export const concurrencyOfAccount = 1000;
/** What reservations must leave to the functions without one. */
export const concurrencyUnreservedMin = 100;
/** Seconds that a program may take to start. */
export const initSecondsMax = 10;
/** Bytes of the log tail in the response to an invocation. */
export const logTailBytesMax = 4096;
/** Times that an event is tried again after the function failed. */
export const eventRetriesMax = 2;
/** Times that one function is invoked in one chain of requests, unless it allows loops. */
export const invocationsOfChainMax = 16;
/** Asynchronous events of one function that wait or run, and their bytes. */
export const queuedEventsMax = 100_000;
export const queuedEventBytesMax = 268_435_456;
/** The maximum age of an event. */
export const eventAgeSecondsMax = 21_600;
