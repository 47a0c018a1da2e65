export const outputFormats = ['json', 'text', 'table', 'yaml', 'yaml-stream'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** What the formats know in addition to the value. */
export interface OutputContext {
  /** Name of the operation: the title of a table. */
  readonly title: string;
  readonly color: boolean;
  /** Width of the terminal; 80 where there is none. */
  readonly columns: number;
  /** A person's terminal reads it: control characters of the answer must do nothing there. */
  readonly terminal: boolean;
}

export function isOutputFormat(text: string): text is OutputFormat {
  return outputFormats.some((format) => format === text);
}
