/** A client and how it is run. `HOB_HOST`, logins and tokens of an owner and a guest are in its environment. */
export interface Client {
  readonly name: string;
  /** The package it comes in on Debian. */
  readonly package: string;
  /** Ways to start it; the first whose probe succeeds is taken. */
  readonly ways: readonly { readonly probe: readonly string[]; readonly run: readonly string[] }[];
}

export const clients: readonly Client[] = [
  {
    name: 'hub',
    package: 'hub',
    ways: [{ probe: ['hub', '--version'], run: ['bash', 'hub.sh'] }],
  },
  {
    name: 'gh',
    package: 'gh',
    ways: [{ probe: ['gh', '--version'], run: ['bash', 'gh.sh'] }],
  },
  {
    name: 'gh commands',
    package: 'gh',
    ways: [{ probe: ['gh', '--version'], run: ['bash', 'gh-commands.sh'] }],
  },
  {
    name: 'Git LFS',
    package: 'git-lfs',
    ways: [{ probe: ['git', 'lfs', 'version'], run: ['bash', 'git-lfs.sh'] }],
  },
  {
    name: 'PyGithub',
    package: 'python3-github',
    // A Python of one's own hides the packages of the system's.
    ways: ['python3', '/usr/bin/python3'].map((python) => ({
      probe: [python, '-c', 'import github'],
      run: [python, 'pygithub.py'],
    })),
  },
  {
    name: 'octokit.rb',
    package: 'ruby-octokit',
    ways: ['ruby', '/usr/bin/ruby'].map((ruby) => ({
      probe: [ruby, '-e', 'require "octokit"'],
      run: [ruby, 'octokit.rb'],
    })),
  },
  {
    name: 'AWS CLI',
    package: 'awscli',
    // A version 1 on the path must not hide the system's version 2: version 1 has no `logs tail`.
    ways: [
      ...['aws', '/usr/bin/aws'].map((aws) => ({
        probe: ['bash', '-c', '"$1" --version 2>&1 | grep -q "^aws-cli/2"', 'probe', aws],
        run: ['bash', 'awscli.sh', aws],
      })),
      { probe: ['aws', '--version'], run: ['bash', 'awscli.sh', 'aws'] },
    ],
  },
  {
    name: 'boto3',
    package: 'python3-boto3',
    ways: ['python3', '/usr/bin/python3'].map((python) => ({
      probe: [python, '-c', 'import boto3'],
      run: [python, 'boto3_lambda.py'],
    })),
  },
];
