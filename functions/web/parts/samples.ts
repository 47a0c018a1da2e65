import { writeZip } from '#platform/zip/write-zip.ts';

/** A function to begin with. */
interface Sample {
  readonly handler: string;
  readonly file: string;
  readonly code: string;
}

/** By the language that a runtime's name begins with. */
const samples: Readonly<Record<string, Sample>> = {
  nodejs: {
    handler: 'index.handler',
    file: 'index.mjs',
    code: `export const handler = async (event) => {
  console.log('Received', JSON.stringify(event));
  return { statusCode: 200, body: JSON.stringify('Hello from Hob!') };
};
`,
  },
  python: {
    handler: 'lambda_function.lambda_handler',
    file: 'lambda_function.py',
    code: `import json

def lambda_handler(event, context):
    print('Received', json.dumps(event))
    return {'statusCode': 200, 'body': json.dumps('Hello from Hob!')}
`,
  },
  ruby: {
    handler: 'lambda_function.lambda_handler',
    file: 'lambda_function.rb',
    code: `require 'json'

def lambda_handler(event:, context:)
  puts "Received #{JSON.generate(event)}"
  { statusCode: 200, body: JSON.generate('Hello from Hob!') }
end
`,
  },
};

/** The sample for a runtime; undefined where there is none for its language. */
export function sampleFor(runtime: string): Sample | undefined {
  const language = /^[a-z]+/.exec(runtime)?.[0] ?? '';
  return Object.hasOwn(samples, language) ? samples[language] : undefined;
}

export async function zipOfSample({ file, code }: Sample): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeZip([{ path: file, kind: 'file', content: Buffer.from(code) }])) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
