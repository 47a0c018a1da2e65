import { isMapping } from './data.ts';

/**
 * A response, or what `--query` left of it, as it is printed; nothing at all for an empty mapping. Only the code of the
 * format asked for is loaded.
 */
export async function formatOutput(
  format: OutputFormat,
  value: unknown,
  context: OutputContext,
): Promise<string> {
  if (isMapping(value) && Object.keys(value).length === 0) return '';
  switch (format) {
    case 'json':
      return (await import('./json-text.ts')).jsonText(value, context);
    case 'text':
      return (await import('./text-lines.ts')).textLines(value, context);
    case 'table':
      return (await import('./table-text.ts')).tableText(value, context);
    case 'yaml':
      return (await import('./yaml-text.ts')).yamlText(value);
    case 'yaml-stream':
      return (await import('./yaml-text.ts')).yamlStreamItem(value);
  }
}

const outputFormats = ['json', 'text', 'table', 'yaml', 'yaml-stream'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** What the formats know in addition to the value. */
export interface OutputContext {
  /** Name of the operation: the title of a table. */
  readonly title: string;
  readonly color: boolean;
  /** Width of the terminal; 80 where there is none. */
  readonly columns: number;
  /** A person's terminal reads it: control characters of the response must do nothing there. */
  readonly terminal: boolean;
}

export function isOutputFormat(text: string): text is OutputFormat {
  return outputFormats.some((format) => format === text);
}
