// Runs Redocly's linter on a document, its examples included.
import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Redocly's recommended rules, with examples that do not match their schema as errors. One line for each fault. */
export async function redoclyFaults(document: object): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'no-invalid-media-type-examples': 'error', 'no-invalid-parameter-examples': 'error' },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => {
    const places = location.map(({ pointer }) => pointer ?? '');
    return `${ruleId} at ${places.join(', ')}: ${message}`;
  });
}
