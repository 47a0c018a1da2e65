/** A finished answer to a GET, ready to be sent again while nothing it shows has changed. */
export interface KeptAnswer {
  /** Of the repository's network and the accounts (access/repository-access.ts). */
  readonly version: string;
  readonly body: Buffer;
  readonly tag: string;
  readonly contentType: string;
  readonly link: string | undefined;
  readonly lastModified: number | undefined;
}

export interface KeptAnswers {
  /** The answer kept under the key, if it is still of this version. */
  find(key: string, version: string): KeptAnswer | undefined;
  keep(key: string, answer: KeptAnswer): void;
}

/** Room for the fixed part of an entry: key, headers, map overhead. */
const entryOverheadBytes = 500;

/** Bodies as buffers, outside the JavaScript heap, bounded in bytes; the least recently used go first. */
export function createKeptAnswers(bytesMax: number): KeptAnswers {
  const answers = new Map<string, KeptAnswer>();
  let bytes = 0;
  const drop = (key: string): void => {
    const answer = answers.get(key);
    if (!answer) return;
    answers.delete(key);
    bytes -= answer.body.length + entryOverheadBytes;
  };
  return {
    find(key, version) {
      const answer = answers.get(key);
      if (answer?.version !== version) return undefined;
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    keep(key, answer) {
      drop(key);
      if (answer.body.length > bytesMax / 8) return;
      answers.set(key, answer);
      bytes += answer.body.length + entryOverheadBytes;
      for (const oldest of answers.keys()) {
        if (bytes <= bytesMax) break;
        drop(oldest);
      }
    },
  };
}
