"""The application: campaigns, Label Studio, adjudication, and the commands."""
