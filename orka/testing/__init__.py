"""What tests of workflows, agents and OrKa itself are written with: part of the product."""
