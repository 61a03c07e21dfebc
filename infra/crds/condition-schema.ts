/** metav1.Condition as every API server knows it. */
export const conditionSchema = {
  description: 'One aspect of the current state.',
  type: 'object',
  properties: {
    lastTransitionTime: {
      description: 'When the status changed last.',
      type: 'string',
      format: 'date-time',
    },
    message: { description: 'For people: details of the transition.', type: 'string', maxLength: 32768 },
    observedGeneration: {
      description: 'metadata.generation that the condition was set for.',
      type: 'integer',
      format: 'int64',
      minimum: 0,
    },
    reason: {
      description: 'For programs: why the condition has this status.',
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    },
    status: { description: 'True, False or Unknown.', type: 'string', enum: ['True', 'False', 'Unknown'] },
    type: {
      description: 'What the condition is about.',
      type: 'string',
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    },
  },
  required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
} as const
