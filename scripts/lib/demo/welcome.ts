// The demo's welcome text: the address of the page, how to submit an item, and the variables that the snippets read.

export interface WelcomeOptions {
  readonly pageUrl: string;
  readonly projectName: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly webhookUrl: string;
  /** A JSONL file to try `npm run submit` with, as typed from the project's root. */
  readonly file: string;
}

const EXAMPLE = { input: { question: 'Where is my parcel?' }, suggestion: 'It arrives tomorrow.', confidence: 0.82 };

/** The opening block as text, with a ready curl. */
export function welcomeBlock(opening: WelcomeOptions): string {
  const { pageUrl, projectId, apiKey } = opening;
  const body = JSON.stringify({ project_id: projectId, ...EXAMPLE });
  return `
  Countersign demo

  Page      ${pageUrl}   sign in with the burner wallet, open the queue, press A to approve
  Project   ${projectId}   ${opening.projectName}
  API key   ${apiKey}
  API docs  ${pageUrl}/api/public/docs   try every request there
  Webhooks  ${opening.webhookUrl}   received and verified here, one line each

  Submit an item of your own:

    curl -sS ${pageUrl}/api/public/items \\
      -H 'content-type: application/json' \\
      -H 'x-api-key: ${apiKey}' \\
      -d '${body}'

  Set what the programs of the API docs and of docs/snippets read:

    export COUNTERSIGN_URL=${pageUrl}
    export COUNTERSIGN_API_KEY=${apiKey}
    export COUNTERSIGN_PROJECT_ID=${projectId}

  Submit a whole file, one item per line:

    npm run submit -- --url ${pageUrl} --key ${apiKey} --project ${projectId} ${opening.file}

  Press Ctrl+C to stop. What you decided is kept for the next start.
`;
}
