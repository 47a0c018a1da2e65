/** Bodies that carry files: some 30 MB of content in base 64. */
export const contentBodyBytesMax = 40 * 1024 * 1024;
