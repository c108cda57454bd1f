// The schema that an empty editor offers to start from: a typed answer with the keywords that most answers need.

export const EXAMPLE_SCHEMA = `{
  "type": "object",
  "title": "Refund",
  "required": ["decision", "amount", "reason"],
  "additionalProperties": false,
  "properties": {
    "decision": { "title": "Decision", "enum": ["full", "partial", "none"] },
    "amount": {
      "title": "Amount",
      "description": "In the currency of the order.",
      "type": "number",
      "minimum": 0
    },
    "reason": { "title": "Reason", "type": "string", "minLength": 1, "maxLength": 500 },
    "due": { "title": "Paid by", "type": "string", "format": "date" }
  }
}
`;
